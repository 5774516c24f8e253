const TAG_ORDER: readonly (readonly [string, string])[] = [
  ['Hear', 'Speech to text: requests, live streams, jobs and vocabulary.'],
  ['Speak', 'Text to speech, and custom voices.'],
  ['Calls', 'Call records across all transports.'],
  ['Omni', 'Full-duplex voice agents over one WebSocket, and their calls.'],
  ['Agents', 'Stored configurations of Omni sessions, and their tools.'],
  ['Knowledge', 'Knowledge bases that ground agents’ answers.'],
  ['AMD', 'Answering-machine detection.'],
  ['Telephony', 'Phone numbers, calls, campaigns and compliance cases.'],
  ['Messaging', 'Calls and messages in messaging apps.'],
  ['Trace', 'Compliance monitoring: rules, findings and consents.'],
  ['Recap', 'Post-call records: summaries, extracted fields and scores.'],
  ['Cast', 'Voiceover projects and their renders.'],
  ['Dub', 'Dubbing of recordings and videos into other languages.'],
  ['Provenance', 'Detection of audio that this service generated.'],
  ['Catalogue', 'Models, voices and the dated reference packs.'],
  ['MCP', 'API operations as tools for coding assistants.'],
  ['Integrations', 'Events, destinations and automation hooks.'],
  ['Webhooks', 'Webhook deliveries and the signing secret.'],
  ['Deepgram clients', 'Routes for Deepgram’s own clients.'],
  ['ElevenLabs clients', 'Routes for ElevenLabs’ own clients.'],
];
const LAST: readonly (readonly [string, string])[] = [
  ['Accounts', 'Accounts, sessions, members, API keys and projects.'],
  ['Billing', 'Credit, usage and invoices.'],
  ['Audit', 'The audit log.'],
  ['Privacy', 'Data-subject erasure and legal holds.'],
  ['Operations', 'Routes for the operator of the server.'],
  ['Platform', 'Health checks, API descriptions and pages.'],
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
