const TAG_ORDER: readonly (readonly [string, string])[] = [
  ['Hear', 'Speech to text: requests, live streams, jobs and vocabulary.'],
  ['Speak', 'Text to speech, and voices of your own.'],
  ['Calls', 'One record of each call, whoever carried it.'],
  ['Omni', 'Full-duplex voice agents over one WebSocket, and the calls they held.'],
  ['Agents', 'Stored configuration of Omni sessions, and their tools.'],
  ['Knowledge', 'Knowledge bases that ground what agents say.'],
  ['AMD', 'Who or what answered a call.'],
  ['Telephony', 'Numbers, calls, campaigns and compliance cases.'],
  ['Messaging', 'Calls and messages of messaging apps.'],
  ['Trace', 'Compliance: rules, findings and consents.'],
  ['Recap', 'What a call was about, once it is over.'],
  ['Cast', 'Voiceover projects and their renders.'],
  ['Dub', 'Recordings in another language.'],
  ['Provenance', 'Whether a recording was spoken here, and for whom.'],
  ['Catalogue', 'Models, voices and the dated reference packs.'],
  ['MCP', 'The same for coding assistants, as tools.'],
  ['Integrations', 'Events, destinations and automation hooks.'],
  ['Webhooks', 'Deliveries and the secret that signs them.'],
  ['Deepgram clients', 'Routes that Deepgram’s own clients call.'],
  ['ElevenLabs clients', 'Routes that ElevenLabs’ own clients call.'],
];
const LAST: readonly (readonly [string, string])[] = [
  ['Accounts', 'Accounts, sessions, people, keys and projects.'],
  ['Billing', 'Credit, usage and invoices.'],
  ['Audit', 'Who changed what.'],
  ['Privacy', 'Erasure and legal holds.'],
  ['Operations', 'For whoever runs the server.'],
  ['Platform', 'Health, descriptions and pages.'],
];

const TAG_DESCRIPTIONS = new Map([...TAG_ORDER, ...LAST]);

const TAG_NAMES: Readonly<Record<string, string>> = {
  'transcription-jobs': 'Hear',
  transcription: 'Hear',
  account: 'Accounts',
  amd: 'AMD',
  queue: 'Operations',
  loopback: 'Operations',
  knowledgebases: 'Knowledge',
  msgapp: 'Messaging',
  messages: 'Messaging',
};

export const tagName = (said: string): string => {
  const known = TAG_NAMES[said];
  if (known !== undefined) return known;
  const same = [...TAG_DESCRIPTIONS.keys()].find((name) => name.toLowerCase() === said.toLowerCase());
  return same ?? `${said[0]?.toUpperCase()}${said.slice(1)}`;
};

const sortIndexOf = (name: string): number => {
  const first = TAG_ORDER.findIndex(([known]) => known === name);
  if (first >= 0) return first;
  const last = LAST.findIndex(([known]) => known === name);
  return last >= 0 ? TAG_ORDER.length + 1 + last : TAG_ORDER.length;
};

export const describeTags = (names: Iterable<string>): { name: string; description?: string }[] =>
  [...new Set(names)]
    .sort((a, b) => sortIndexOf(a) - sortIndexOf(b))
    .map((name) => {
      const description = TAG_DESCRIPTIONS.get(name);
      return { name, ...(description ? { description } : {}) };
    });
