/**
 * A double of the carrier's REST interface, callbacks and media streams runs in a process of its own, as strict as
 * the published pages: credentials, forms with known parameters only, well-formed markup, signatures on all it sends.
 * The dialed number selects its behaviour. It prints its address; the parent makes it call in, and lose or double
 * callbacks, by IPC.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { WebSocket } from 'ws';

const SID = 'AC00000000000000000000000000000001';
const TOKEN = 'the auth token of the double';
const CALL_PARAMETERS = new Set([
  'To',
  'From',
  'Twiml',
  'Timeout',
  'StatusCallback',
  'StatusCallbackMethod',
  'StatusCallbackEvent',
]);
const UPDATE_PARAMETERS = new Set(['Status', 'Twiml']);
const EVENTS = ['initiated', 'ringing', 'answered', 'completed'];
const OURS = new Set(['+14155550100']);
const calls = new Map();
const keys = [];
let callbacks = 'once';

const sid = (prefix) => prefix + randomBytes(16).toString('hex');
const json = (response, status, body) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? '' : JSON.stringify(body));
};
const refuse = (response, status, code, message) =>
  json(response, status, { code, message, status, more_info: '' });

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => handle(request, response, text));
});

function handle(request, response, text) {
  const expected = `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`;
  if (request.headers.authorization !== expected) return refuse(response, 401, 20003, 'Authenticate');
  const { pathname, searchParams } = new URL(request.url, 'http://double');
  const root = `/2010-04-01/Accounts/${SID}/`;
  if (!pathname.startsWith(root)) return refuse(response, 404, 20404, 'not found');
  const path = pathname.slice(root.length);
  if (request.method === 'POST' && request.headers['content-type'] !== 'application/x-www-form-urlencoded')
    return refuse(response, 415, 20415, 'forms alone');
  const form = new URLSearchParams(text);
  const one = /^Calls\/(CA[0-9a-f]{32})\.json$/.exec(path);
  if (request.method === 'POST' && path === 'Calls.json') return place(response, form);
  if (one && request.method === 'POST') return update(response, calls.get(one[1]), form);
  if (one && request.method === 'GET') {
    const call = calls.get(one[1]);
    return call ? json(response, 200, shown(call)) : refuse(response, 404, 20404, 'no such call');
  }
  return numbers(request.method, path, searchParams, form, response);
}

function numbers(method, path, query, form, response) {
  const list = /^AvailablePhoneNumbers\/([A-Z]{2})\/(Local|Mobile|TollFree)\.json$/.exec(path);
  if (method === 'GET' && list) {
    const size = Number(query.get('PageSize') ?? 50);
    const offered = Array.from({ length: size }, (_, at) => `+141555501${String(at).padStart(2, '0')}`);
    const capabilities = { voice: true, SMS: true, MMS: false };
    return json(response, 200, {
      available_phone_numbers: offered.map((phone_number) => ({
        phone_number,
        iso_country: list[1],
        capabilities,
      })),
    });
  }
  if (method === 'POST' && path === 'IncomingPhoneNumbers.json') {
    const number = form.get('PhoneNumber');
    if (!/^\+1415555/.test(number ?? ''))
      return refuse(response, 400, 21421, `PhoneNumber ${number} is not available`);
    return json(response, 201, {
      sid: sid('PN'),
      phone_number: number,
      capabilities: { voice: true, sms: true },
    });
  }
  if (/^IncomingPhoneNumbers\/PN[0-9a-f]{32}\.json$/.test(path)) {
    if (method === 'DELETE') return json(response, 204);
    if (method === 'POST') return json(response, 200, { sid: path.slice(21, 55) });
  }
  return refuse(response, 404, 20404, 'not found');
}

const shown = ({ sid: id, status, to, from }) => ({ sid: id, status, to, from });

function place(response, form) {
  const unknown = [...form.keys()].find((name) => !CALL_PARAMETERS.has(name));
  if (unknown) return refuse(response, 400, 21200, `unknown parameter ${unknown}`);
  const [to, from, twiml] = ['To', 'From', 'Twiml'].map((name) => form.get(name) ?? '');
  if (!OURS.has(from)) return refuse(response, 400, 21210, `${from} is not a number of this account`);
  if (!/^\+1500555\d{4}$/.test(to) || to.endsWith('9999'))
    return refuse(response, 400, 21211, `${to} is no number`);
  const stream = streamOf(twiml);
  if (stream === null) return refuse(response, 400, 21218, 'the markup is not well formed');
  const events = form.getAll('StatusCallbackEvent');
  if (events.some((event) => !EVENTS.includes(event))) return refuse(response, 400, 21200, 'unknown event');
  const call = {
    sid: sid('CA'),
    to,
    from,
    status: 'queued',
    stream,
    timeout: Number(form.get('Timeout') ?? 60),
    callback: form.get('StatusCallback'),
    sequence: 0,
  };
  calls.set(call.sid, call);
  json(response, 201, shown(call));
  ring(call);
}

function streamOf(markup) {
  const whole =
    /^<\?xml version="1\.0" encoding="UTF-8"\?><Response>(?:<Play digits="([0-9A-D*#w]+)"\/>)?<Connect><Stream url="(wss?:\/\/[^"?]+)">((?:<Parameter name="[^"]+" value="[^"]*"\/>)*)<\/Stream><\/Connect><\/Response>$/;
  const found = whole.exec(markup);
  if (found === null) return null;
  const parameters = [...found[3].matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  return { digits: found[1] ?? '', url: found[2], parameters: Object.fromEntries(parameters) };
}

const after = (ms, task) => setTimeout(task, ms);

function ring(call) {
  const end = call.to.slice(-4);
  after(20, () => {
    if (end === '0002') return become(call, 'busy');
    become(call, 'ringing');
    if (end === '0003')
      return after(call.timeout * 1000, () => call.status === 'ringing' && become(call, 'no-answer'));
    if (end === '0008') return after(50, () => become(call, 'busy'));
    after(50, () => {
      if (call.status !== 'ringing') return;
      become(call, 'in-progress');
      connect(call);
    });
  });
}

function become(call, status) {
  if (['completed', 'busy', 'no-answer', 'canceled', 'failed'].includes(call.status)) return;
  call.status = status;
  if (['completed', 'busy', 'no-answer', 'canceled'].includes(status)) call.socket?.close();
  if (callbacks === 'never' || !call.callback) return;
  const sent = notice(call, status);
  if (callbacks === 'twice') after(30, () => post(call.callback, sent));
  post(call.callback, sent);
}

const notice = (call, status) => ({
  AccountSid: SID,
  CallSid: call.sid,
  CallStatus: status,
  From: call.from,
  To: call.to,
  Direction: call.inbound ? 'inbound' : 'outbound-api',
  SequenceNumber: String(call.sequence++),
});

async function post(url, form) {
  const signed =
    url +
    Object.keys(form)
      .sort()
      .map((name) => name + form[name])
      .join('');
  const signature = createHmac('sha1', TOKEN).update(signed).digest('base64');
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    body: new URLSearchParams(form).toString(),
  }).catch(() => null);
  return answer === null ? '' : await answer.text();
}

function connect(call) {
  const { url, parameters } = call.stream;
  const socket = new WebSocket(url);
  call.socket = socket;
  const streamSid = sid('MZ');
  let sequence = 1;
  let chunk = 0;
  let playedUntil = Date.now();
  let marks = [];
  const say = (message) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ ...message, sequenceNumber: String(sequence++), streamSid }));
  };
  const back = (name) => say({ event: 'mark', mark: { name } });
  socket.on('error', () => undefined);
  socket.on('open', () => {
    socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    const start = {
      streamSid,
      accountSid: SID,
      callSid: call.sid,
      tracks: ['inbound'],
      mediaFormat,
      customParameters: parameters,
    };
    say({ event: 'start', start });
    const speaking = setInterval(() => {
      const payload = Buffer.from(Array.from({ length: 160 }, (_, at) => (at % 2 ? 0x10 : 0x90))).toString(
        'base64',
      );
      say({
        event: 'media',
        media: { track: 'inbound', chunk: String(++chunk), timestamp: String(chunk * 20), payload },
      });
      const now = Date.now();
      for (const mark of marks.filter(({ at }) => at <= now)) back(mark.name);
      marks = marks.filter(({ at }) => at > now);
    }, 20);
    socket.on('close', () => clearInterval(speaking));
    if (call.to.endsWith('0020')) {
      for (const [at, digit] of [
        [100, '5'],
        [250, '7'],
      ])
        after(at, () => say({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } }));
      after(400, () => become(call, 'completed'));
    }
  });
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString());
    if (message.streamSid !== streamSid) return socket.close();
    if (message.event === 'media') {
      const bytes = Buffer.from(message.media.payload, 'base64').length;
      playedUntil = Math.max(Date.now(), playedUntil) + bytes / 8;
    } else if (message.event === 'mark') marks.push({ name: message.mark.name, at: playedUntil });
    else if (message.event === 'clear') {
      playedUntil = Date.now();
      for (const { name } of marks.splice(0)) back(name);
    } else socket.close();
  });
  socket.on('close', () => {
    if (call.socket === socket && call.status === 'in-progress' && !call.updating) become(call, 'completed');
  });
}

function update(response, call, form) {
  if (!call) return refuse(response, 404, 20404, 'no such call');
  const unknown = [...form.keys()].find((name) => !UPDATE_PARAMETERS.has(name));
  if (unknown) return refuse(response, 400, 21200, `unknown parameter ${unknown}`);
  const status = form.get('Status');
  const twiml = form.get('Twiml');
  if (status !== null) {
    if (status === 'canceled' && !['queued', 'ringing'].includes(call.status))
      return refuse(response, 400, 21220, 'Call is not in-progress. Cannot redirect.');
    json(response, 200, shown(call));
    return become(call, status);
  }
  if (call.status !== 'in-progress')
    return refuse(response, 400, 21220, 'Call is not in-progress. Cannot redirect.');
  const dialed = /<Response><Dial timeLimit="(\d+)">(\+\d+)<\/Dial><\/Response>$/.exec(twiml ?? '');
  const stream = dialed ? null : streamOf(twiml ?? '');
  if (!dialed && !stream) return refuse(response, 400, 21218, 'the markup is not well formed');
  call.updating = true;
  call.socket?.close();
  json(response, 200, shown(call));
  if (dialed) {
    const [, limit, to] = dialed;
    process.send?.({ dialed: { to, limit: Number(limit) } });
    after(Number(limit) * 1000, () => become(call, 'completed')).unref();
    return;
  }
  keys.push(...stream.digits.replaceAll('w', ''));
  process.send?.({ keys });
  call.stream = stream;
  after(50, () => {
    call.updating = false;
    connect(call);
  });
}

async function callIn({ url, to }) {
  const call = {
    sid: sid('CA'),
    to,
    from: '+15005550001',
    status: 'ringing',
    inbound: true,
    sequence: 0,
    callback: null,
  };
  calls.set(call.sid, call);
  const markup = await post(url, { ...notice(call, 'ringing') });
  const stream = streamOf(markup);
  if (stream === null) return become(call, 'busy');
  call.status = 'in-progress';
  call.stream = stream;
  connect(call);
}

process.on('message', (message) => {
  if (message.callIn) void callIn(message.callIn);
  if (message.hangUp) for (const call of calls.values()) become(call, 'completed');
  if (message.callbacks) callbacks = message.callbacks;
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port, sid: SID, token: TOKEN }));
