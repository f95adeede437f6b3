import { Type } from 'typebox'
import { tokenOf } from '../accounts/identity/authenticate.ts'
import type { App } from '../app.ts'
import { IDEMPOTENCY_ERRORS, idempotentRoute } from '../idempotency/idempotency-key.ts'
import { contextOf } from '../platform/database/context.ts'
import {
  etagHeader,
  expectedVersions,
  IfMatchHeader,
  IfNoneMatchHeader,
  sendWithETag,
} from '../platform/http/responses/entity-tags.ts'
import { Uuid } from '../platform/http/responses/field-schemas.ts'
import { JsonText, sendJson } from '../platform/http/responses/json-stream.ts'
import { presentEach } from '../platform/http/responses/lists.ts'
import {
  BODY_ERRORS,
  ETAG,
  LOCATION,
  NOT_MODIFIED,
  ref,
  responses,
} from '../platform/http/responses/responses.ts'
import { type Route, route } from '../platform/http/route.ts'
import { CalendarBody, CalendarChangeBody, NewCalendarBody, presentCalendar } from './calendar-bodies.ts'
import { createCalendar, deleteCalendar, getCalendar, listCalendars, updateCalendar } from './calendars.ts'

const tags = ['Calendars']
const params = Type.Object({ id: Uuid('The calendar.') })

/** @param maxCalendars of an account, including deleted calendars */
export const calendarRoutes = (app: App, maxCalendars: number): Route[] => [
  createCalendarRoute(app, maxCalendars),
  listCalendarsRoute(app),
  getCalendarRoute(app),
  updateCalendarRoute(app),
  deleteCalendarRoute(app),
]

const createCalendarRoute = (app: App, maxCalendars: number) =>
  idempotentRoute(app, {
    method: 'POST',
    url: '/v1/calendars',
    schema: {
      operationId: 'createCalendar',
      summary: 'Create a calendar',
      description: 'Stores working time: a week, holidays and exceptions in a time zone.',
      tags,
      body: NewCalendarBody,
      response: responses(
        {
          201: {
            description: 'The calendar.',
            headers: { ...LOCATION, ...ETAG },
            schema: ref(CalendarBody),
          },
        },
        [...IDEMPOTENCY_ERRORS, 'CALENDAR_LIMIT_REACHED'],
      ),
    },
    answer: async (context, request) => {
      const newCalendar = { holidays: [], exceptions: {}, ...request.body }
      const calendar = await createCalendar(context, newCalendar, tokenOf(request), maxCalendars)
      const headers = { Location: `/v1/calendars/${calendar.id}`, ...etagHeader(calendar.version) }
      return { status: 201, headers, body: presentCalendar(calendar) }
    },
  })

const listCalendarsRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/calendars',
    schema: {
      operationId: 'listCalendars',
      summary: 'List calendars',
      description: 'All of the account’s calendars that are not deleted, oldest first.',
      tags,
      querystring: Type.Object({}, { additionalProperties: false }),
      response: responses(
        {
          200: {
            description: 'The calendars.',
            schema: Type.Object({ data: Type.Array(ref(CalendarBody)) }),
          },
        },
        [],
      ),
    },
    handler: (request, reply) => {
      const calendars = listCalendars(contextOf(app.db, request.userId))
      return sendJson(reply, {
        data: presentEach(calendars, (calendar) => JsonText.ofObject(presentCalendar(calendar))),
      })
    },
  })

const getCalendarRoute = (app: App) =>
  route({
    method: 'GET',
    url: '/v1/calendars/:id',
    schema: {
      operationId: 'getCalendar',
      summary: 'Read a calendar',
      description: 'Also returns a deleted calendar.',
      tags,
      params,
      headers: IfNoneMatchHeader,
      response: responses(
        { 200: { description: 'The calendar.', headers: ETAG, schema: ref(CalendarBody) }, ...NOT_MODIFIED },
        ['CALENDAR_NOT_FOUND'],
      ),
    },
    handler: async (request, reply) => {
      const calendar = await getCalendar(contextOf(app.db, request.userId), request.params.id.toLowerCase())
      return sendWithETag(request, reply, calendar.version, presentCalendar(calendar))
    },
  })

const updateCalendarRoute = (app: App) =>
  idempotentRoute(app, {
    method: 'PATCH',
    url: '/v1/calendars/:id',
    schema: {
      operationId: 'updateCalendar',
      summary: 'Update a calendar',
      description:
        'Replaces the given fields, each as a whole. A change makes a new version. Existing claims keep their version.',
      tags,
      params,
      headers: IfMatchHeader,
      body: CalendarChangeBody,
      response: responses(
        { 200: { description: 'The updated calendar.', headers: ETAG, schema: ref(CalendarBody) } },
        [
          ...IDEMPOTENCY_ERRORS,
          'CALENDAR_NOT_FOUND',
          'CALENDAR_VERSION_LIMIT_REACHED',
          'PRECONDITION_FAILED',
        ],
      ),
    },
    answer: async (context, request) => {
      const { params, body, headers } = request
      const expected = expectedVersions(headers['if-match'])
      const calendar = await updateCalendar(
        context,
        params.id.toLowerCase(),
        body,
        tokenOf(request),
        expected,
      )
      return { headers: etagHeader(calendar.version), body: presentCalendar(calendar) }
    },
  })

const deleteCalendarRoute = (app: App) =>
  route({
    method: 'DELETE',
    url: '/v1/calendars/:id',
    schema: {
      operationId: 'deleteCalendar',
      summary: 'Delete a calendar',
      description: 'Closes the calendar to new contracts. It and its versions can still be read.',
      tags,
      params,
      headers: IfMatchHeader,
      response: responses({ 204: { description: 'Deleted.' } }, [
        ...BODY_ERRORS,
        'CALENDAR_NOT_FOUND',
        'PRECONDITION_FAILED',
      ]),
    },
    handler: async ({ userId, params, headers }, reply) => {
      const expected = expectedVersions(headers['if-match'])
      await deleteCalendar(contextOf(app.db, userId), params.id.toLowerCase(), expected)
      return reply.code(204).send()
    },
  })
