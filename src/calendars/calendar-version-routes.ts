import { Type } from 'typebox'
import type { App } from '../app.ts'
import { contextOf } from '../platform/database/context.ts'
import { Uuid, Version } from '../platform/http/responses/field-schemas.ts'
import { JsonText, sendJson } from '../platform/http/responses/json-stream.ts'
import { presentEach } from '../platform/http/responses/lists.ts'
import { ref, responses } from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { CalendarPreviewBody, CalendarVersionBody, presentCalendarVersion } from './calendar-bodies.ts'
import { getCalendarVersion, listCalendarVersions } from './calendars.ts'
import { MAX_PREVIEW_DAYS, PREVIEW_DAYS } from './limits.ts'
import { previewCalendar } from './preview-calendar.ts'

const tags = ['Calendars']
const id = Uuid('The calendar.')

export const calendarVersionRoutes = (app: App): Route[] => [
  listCalendarVersionsRoute(app),
  getCalendarVersionRoute(app),
  previewCalendarRoute(app),
]

const listCalendarVersionsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/calendars/:id/versions',
    schema: {
      operationId: 'listCalendarVersions',
      summary: 'List the versions of a calendar',
      description: 'All versions, newest first. The first is the current one.',
      tags,
      params: Type.Object({ id }),
      querystring: Type.Object({}, { additionalProperties: false }),
      response: responses(
        {
          200: {
            description: 'The versions.',
            schema: Type.Object({ data: Type.Array(ref(CalendarVersionBody)) }),
          },
        },
        ['CALENDAR_NOT_FOUND'],
      ),
    },
    handler: async (request, reply) => {
      const versions = await listCalendarVersions(
        contextOf(app.db, request.userId),
        request.params.id.toLowerCase(),
      )
      return sendJson(reply, {
        data: presentEach(versions, (version) => JsonText.ofObject(presentCalendarVersion(version))),
      })
    },
  })

const getCalendarVersionRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/calendars/:id/versions/:version',
    schema: {
      operationId: 'getCalendarVersion',
      summary: 'Read a version of a calendar',
      tags,
      params: Type.Object({ id, version: Version('The number of the version.') }),
      response: responses({ 200: { description: 'The version.', schema: ref(CalendarVersionBody) } }, [
        'CALENDAR_NOT_FOUND',
        'CALENDAR_VERSION_NOT_FOUND',
      ]),
    },
    handler: async ({ userId, params }, reply) => {
      const context = contextOf(app.db, userId)
      const version = await getCalendarVersion(context, params.id.toLowerCase(), params.version)
      return sendJson(reply, presentCalendarVersion(version))
    },
  })

const previewCalendarRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/calendars/:id/preview',
    schema: {
      operationId: 'previewCalendar',
      summary: 'Preview a calendar',
      description:
        'The working time of dates, with holidays and exceptions marked, and the last holiday. Also for a deleted calendar.',
      tags,
      params: Type.Object({ id }),
      querystring: Type.Object(
        {
          from: Type.Optional(
            Type.String({
              description:
                'The first date, as YYYY-MM-DD, from 1970 to 2999. Default: today in the time zone of the calendar.',
              examples: ['2026-12-21'],
            }),
          ),
          days: Type.Optional(
            Type.Integer({
              description: 'Number of dates.',
              minimum: 1,
              maximum: MAX_PREVIEW_DAYS,
              default: PREVIEW_DAYS,
            }),
          ),
          version: Type.Optional(Version('The version to show. Default: the current one.')),
        },
        { additionalProperties: false },
      ),
      response: responses({ 200: { description: 'The preview.', schema: ref(CalendarPreviewBody) } }, [
        'CALENDAR_NOT_FOUND',
        'CALENDAR_VERSION_NOT_FOUND',
      ]),
    },
    handler: async ({ userId, params, query }, reply) =>
      sendJson(reply, await previewCalendar(contextOf(app.db, userId), params.id.toLowerCase(), query)),
  })
