"""Working time by another calculation than the service's: quarter of an hour by quarter of an hour, with zoneinfo.

Reads a JSON of one object: {"zones": [...], "cases": [...]}. Writes the version of the time zone data, the changes of
each zone from 2020 to 2039, and of each case the working time between its times and the end of its budget.
"""

import json
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
CELL = 15 * 60_000
STEP = 5 * 86_400


def utc(ms):
    return EPOCH + timedelta(milliseconds=ms)


def version():
    try:
        import tzdata

        return tzdata.IANA_VERSION
    except ImportError:
        pass
    for folder in zoneinfo.TZPATH:
        try:
            with open(f"{folder}/tzdata.zi") as file:
                return file.readline().split()[-1]
        except OSError:
            pass
    return "unknown"


def changes(name):
    """Found by halving each span of days in which the offset becomes another one. No zone changes twice in a span."""
    try:
        zone = zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return None

    def offset(seconds):
        return datetime.fromtimestamp(seconds, zone).utcoffset()

    found = []
    last = int(datetime(2020, 1, 1, tzinfo=UTC).timestamp())
    end = int(datetime(2040, 1, 1, tzinfo=UTC).timestamp())
    before = offset(last)
    while last < end:
        following = last + STEP
        after = offset(following)
        if after != before:
            low, high = last, following
            while high - low > 1:
                middle = (low + high) // 2
                if offset(middle) == before:
                    low = middle
                else:
                    high = middle
            if high < end:
                found.append(high * 1000)
        last, before = following, after
    return found


def ms_of(time):
    hours, minutes = time.split(":")
    return (int(hours) * 60 + int(minutes)) * 60_000


class Calendar:
    def __init__(self, calendar):
        self.zone = zoneinfo.ZoneInfo(calendar["time_zone"])
        self.weekly = calendar["weekly"]
        self.holidays = set(calendar["holidays"])
        self.exceptions = calendar["exceptions"]
        self.by_date = {}

    def minutes(self, date):
        """Whether each minute of the date is working time."""
        if date not in self.by_date:
            name = date.isoformat()
            if name in self.exceptions:
                spans = self.exceptions[name]
            elif name in self.holidays:
                spans = []
            else:
                spans = self.weekly.get(DAYS[date.weekday()], [])
            day = bytearray(24 * 60)
            for start, end in spans:
                first, last = ms_of(start) // 60_000, ms_of(end) // 60_000
                day[first:last] = b"\x01" * (last - first)
            self.by_date[date] = day
        return self.by_date[date]

    def cells(self, start):
        """From the quarter of an hour of the time on: when it begins, and whether each minute of it is working time."""
        at = start - start % CELL
        while True:
            local = utc(at).astimezone(self.zone)
            last = utc(at + CELL - 60_000).astimezone(self.zone)
            first = local.hour * 60 + local.minute
            if local.utcoffset() == last.utcoffset():
                yield at, self.minutes(local.date())[first : first + 15]
            else:
                # Antarctica/Casey changes its clocks at one minute past the hour.
                minutes = [utc(at + i * 60_000).astimezone(self.zone) for i in range(15)]
                yield at, [self.minutes(one.date())[one.hour * 60 + one.minute] for one in minutes]
            at += CELL

    def between(self, start, end):
        total = 0
        for at, minutes in self.cells(start):
            if at >= end:
                return total
            if not any(minutes):
                continue
            if at >= start and at + CELL <= end:
                total += sum(minutes) * 60_000
                continue
            for i, works in enumerate(minutes):
                if works:
                    minute = at + i * 60_000
                    total += max(0, min(end, minute + 60_000) - max(start, minute))

    def end_of(self, start, budget):
        if budget == 0:
            return start
        for at, minutes in self.cells(start):
            for i, works in enumerate(minutes):
                minute = max(start, at + i * 60_000)
                length = at + (i + 1) * 60_000 - minute
                if not works or length <= 0:
                    continue
                if budget <= length:
                    return minute + budget
                budget -= length


def answer(case):
    calendar = Calendar(case["calendar"])
    times = case["times"]
    return {
        "worked": [calendar.between(a, b) for a, b in zip(times, times[1:])],
        "due": calendar.end_of(times[0], case["budgetMs"]),
    }


asked = json.load(sys.stdin)
json.dump(
    {
        "version": version(),
        "changes": {zone: changes(zone) for zone in asked["zones"]},
        "answers": [answer(case) for case in asked["cases"]],
    },
    sys.stdout,
)
