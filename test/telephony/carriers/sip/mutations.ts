export type Chance = () => number;

const METHODS = [
  'INVITE',
  'ACK',
  'BYE',
  'CANCEL',
  'OPTIONS',
  'REGISTER',
  'UPDATE',
  'REFER',
  'NOTIFY',
  'PRACK',
  'INFO',
  'SUBSCRIBE',
  'PUBLISH',
  'MESSAGE',
];
const STATUSES = [
  '100 Trying',
  '180 Ringing',
  '183 Progress',
  '200 OK',
  '401 Unauthorized',
  '491 Pending',
  '603 No',
];
const SDP = [
  'v=0',
  'o=a 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 9000 RTP/SAVP 0 8 101 111',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=rtpmap:111 opus/48000/2',
  'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'a=sendrecv',
  '',
].join('\r\n');

function wellFormed(chance: Chance, number: number, own: string, to: string): string {
  const method = METHODS[Math.floor(chance() * METHODS.length)] as string;
  const answers = chance() < 0.2;
  const first = answers
    ? `SIP/2.0 ${STATUSES[Math.floor(chance() * STATUSES.length)]}`
    : `${method} sip:${to} SIP/2.0`;
  const body = chance() < 0.6 ? SDP : '';
  return [
    first,
    `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${number};rport`,
    `From: "A" <sip:+14155550177@${own}>;tag=${number}`,
    `To: <sip:${to}>`,
    `Call-ID: ${number}@mutations`,
    `CSeq: ${1 + Math.floor(chance() * 9)} ${method}`,
    `Contact: <sip:a@${own}>`,
    'Max-Forwards: 70',
    'Supported: timer, 100rel, replaces',
    'Session-Expires: 1800;refresher=uas',
    'Allow: INVITE, ACK, BYE, UPDATE',
    `Refer-To: <sip:b@${own}>`,
    'Event: refer',
    'RAck: 1 1 INVITE',
    'Authorization: Digest username="a", realm="b", nonce="c", uri="sip:d", response="e"',
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

const STRANGE = [
  '',
  ' ',
  '\0',
  '%00',
  '<',
  '>>>>',
  '"',
  '\\',
  ';',
  ',,,,',
  '\r\n',
  '\r\n ',
  '\n\n',
  '\xff\xfe\xc0\x80',
  '-1',
  '0',
  '4294967296',
  '18446744073709551616',
  '99999999999999999999999999',
  '1e999',
  '0x41',
  'sip:',
  'sips:[::1]:0',
  'sip:[fe80::1%25lo',
  '*',
  '(((((((((((((((((',
  ';lr;lr=;;maddr=[::',
  'z9hG4bK',
  '%n%n%s%s',
  'A'.repeat(300),
  'A'.repeat(9_000),
  ';tag=x'.repeat(500),
  '<sip:a@b>,'.repeat(400),
];

type Change = (message: string, chance: Chance) => string;
const at = (text: string, chance: Chance): number => Math.floor(chance() * (text.length + 1));
const strange = (chance: Chance): string => STRANGE[Math.floor(chance() * STRANGE.length)] as string;

const CHANGES: readonly Change[] = [
  (message, chance) => {
    const place = at(message, chance);
    return (
      message.slice(0, place) + String.fromCharCode(Math.floor(chance() * 256)) + message.slice(place + 1)
    );
  },
  (message, chance) => message.slice(0, at(message, chance)),
  (message, chance) => {
    const place = at(message, chance);
    return message.slice(0, place) + message.slice(place + Math.floor(chance() * 60));
  },
  (message, chance) => {
    const place = at(message, chance);
    return message.slice(0, place) + strange(chance) + message.slice(place);
  },
  (message, chance) => {
    const lines = message.split('\r\n');
    const which = Math.floor(chance() * lines.length);
    const line = lines[which] as string;
    lines[which] = line.slice(0, line.search(/[:=]/) + 1) + strange(chance);
    return lines.join('\r\n');
  },
  (message, chance) => {
    const lines = message.split('\r\n');
    const which = Math.floor(chance() * lines.length);
    const times = chance() < 0.1 ? 400 : 2;
    lines.splice(which, 1, ...Array<string>(times).fill(lines[which] as string));
    return lines.join('\r\n');
  },
  (message, chance) => {
    const lines = message.split('\r\n');
    lines.splice(Math.floor(chance() * lines.length), 1);
    return lines.join('\r\n');
  },
  (message, chance) => {
    const lines = message.split('\r\n');
    const [one, other] = [Math.floor(chance() * lines.length), Math.floor(chance() * lines.length)];
    [lines[one], lines[other]] = [lines[other] as string, lines[one] as string];
    return lines.join('\r\n');
  },
  (message, chance) => {
    const numbers = [...message.matchAll(/[0-9]+/g)];
    const number = numbers[Math.floor(chance() * numbers.length)];
    if (number === undefined) return message;
    return message.slice(0, number.index) + strange(chance) + message.slice(number.index + number[0].length);
  },
];

export function mutated(chance: Chance, number: number, own: string, to: string): Buffer {
  let message = wellFormed(chance, number, own, to);
  for (let times = 1 + Math.floor(chance() * 4); times > 0; times--)
    message = (CHANGES[Math.floor(chance() * CHANGES.length)] as Change)(message, chance);
  return Buffer.from(message.slice(0, 60_000), 'latin1');
}
