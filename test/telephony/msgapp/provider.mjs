/** The double of the provider accepts what its documentation says and nothing else, and reports it to its parent. */
import { createServer } from 'node:http';

const [token] = process.argv.slice(2);
const state = { settings: { calling: { status: 'DISABLED' } }, permitted: true, calls: 0, away: 0 };
process.on('message', (change) => Object.assign(state, change));

const fail = (status, code, message) => ({
  status,
  body: { error: { message, type: 'OAuthException', code } },
});
const keys = (value, allowed) => Object.keys(value).every((key) => allowed.includes(key));

function act(body) {
  if (!keys(body, ['messaging_product', 'call_id', 'to', 'action', 'session', 'biz_opaque_callback_data']))
    return fail(400, 100, 'Unexpected key');
  if (body.messaging_product !== 'whatsapp') return fail(400, 100, 'messaging_product is required');
  const { action, session } = body;
  const wanted = { pre_accept: 'answer', accept: 'answer', connect: 'offer' }[action];
  if (!['pre_accept', 'accept', 'connect', 'reject', 'terminate'].includes(action))
    return fail(400, 100, 'Invalid action');
  if (wanted && !(session?.sdp_type === wanted && /^v=0\r\n[\s\S]*a=fingerprint:/.test(session.sdp)))
    return fail(400, 100, `session of ${action}`);
  if (!wanted && session !== undefined) return fail(400, 100, 'Unexpected session');
  if (action !== 'connect')
    return /^wacid\./.test(body.call_id)
      ? { status: 200, body: { success: true } }
      : fail(400, 100, 'call_id');
  if (!/^[1-9]\d+$/.test(body.to)) return fail(400, 100, 'to');
  if (!state.permitted) return fail(400, 138_006, 'No approved call permission from the recipient');
  return {
    status: 200,
    body: { messaging_product: 'whatsapp', calls: [{ id: `wacid.out${++state.calls}` }] },
  };
}

function ask(body) {
  const { interactive } = body;
  const good =
    body.messaging_product === 'whatsapp' &&
    body.type === 'interactive' &&
    /^[1-9]\d+$/.test(body.to) &&
    interactive?.type === 'call_permission_request' &&
    interactive.action?.name === 'call_permission_request';
  return good ? { status: 200, body: { messages: [{ id: 'wamid.1' }] } } : fail(400, 100, 'Invalid message');
}

const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
const time = (value) => /^([01]\d|2[0-3])[0-5]\d$/.test(value);

/** Checks hours by the provider's rules: by day, in one zone, at most two ranges a day. */
function areHours(hours) {
  if (hours === undefined) return true;
  const { status, timezone_id, weekly_operating_hours = [], holiday_schedule = [] } = hours;
  const known = ['status', 'timezone_id', 'weekly_operating_hours', 'holiday_schedule'];
  if (!keys(hours, known) || !['ENABLED', 'DISABLED'].includes(status)) return false;
  if (!/^[A-Za-z_]+\/[A-Za-z_/]+$/.test(timezone_id ?? '')) return false;
  const spans = weekly_operating_hours.every(
    (span) =>
      keys(span, ['day_of_week', 'open_time', 'close_time']) &&
      DAYS.includes(span.day_of_week) &&
      time(span.open_time) &&
      time(span.close_time) &&
      span.open_time < span.close_time,
  );
  const twice = DAYS.every(
    (day) => weekly_operating_hours.filter(({ day_of_week }) => day_of_week === day).length <= 2,
  );
  return spans && twice && weekly_operating_hours.length > 0 && Array.isArray(holiday_schedule);
}

function settle(method, body) {
  if (method === 'POST') {
    if (!keys(body, ['calling']) || !['ENABLED', 'DISABLED'].includes(body.calling?.status))
      return fail(400, 100, 'calling');
    if (!areHours(body.calling.call_hours)) return fail(400, 100, 'call_hours');
    state.settings = { calling: { call_icon_visibility: 'DEFAULT', ...body.calling } };
    return { status: 200, body: { success: true } };
  }
  return { status: 200, body: state.settings };
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const body = text === '' ? {} : JSON.parse(text);
  const [, version, number, what] = request.url.split('/');
  let answer = fail(404, 100, 'Unknown path');
  if (request.headers.authorization !== `Bearer ${token}`)
    answer = fail(401, 190, 'Invalid OAuth access token');
  else if (version !== 'v23.0' || !/^\d+$/.test(number)) answer = fail(400, 100, 'Unsupported request');
  else if (state.away > 0) {
    state.away -= 1;
    answer = fail(503, 2, 'Service temporarily unavailable');
  } else if (what === 'calls' && request.method === 'POST') answer = act(body);
  else if (what === 'messages' && request.method === 'POST') answer = ask(body);
  else if (what === 'settings') answer = settle(request.method, body);
  process.send({ what, method: request.method, body, status: answer.status });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
