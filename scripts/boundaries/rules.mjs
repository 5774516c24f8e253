/**
 * The arrows: which room may use which. A room is a folder of src/ or native/. What is not listed is not allowed; a
 * new room is added here, with the reason in the commit that adds it.
 */

/** Rooms of src/. `platform` uses only libraries; nobody uses `main` but the program that starts it. */
export const TYPESCRIPT = {
  platform: [],
  agents: ['platform', 'storage', 'access', 'privacy', 'voices', 'brain', 'session'],
  amd: ['audit', 'privacy', 'platform', 'storage', 'access', 'billing', 'webhooks', 'engine'],
  trace: [
    'audit',
    'privacy',
    'platform',
    'storage',
    'access',
    'jobs',
    'webhooks',
    'language',
    'pii',
    'retrieval',
    'calls',
    'transcription',
  ],
  recap: [
    'privacy',
    'platform',
    'storage',
    'access',
    'jobs',
    'webhooks',
    'language',
    'retrieval',
    'brain',
    'trace',
  ],
  media: ['platform'],
  codec: ['platform'],
  language: [],
  pii: ['language'],
  retrieval: ['platform', 'language'],
  capture: ['language'],
  brain: ['platform', 'language', 'pii'],
  responder: ['platform', 'language', 'retrieval', 'brain'],
  engine: ['platform'],
  storage: ['platform'],
  billing: ['platform', 'storage', 'access'],
  access: ['platform', 'storage', 'billing', 'audit'],
  audit: ['platform', 'storage', 'access'],
  privacy: ['platform', 'storage', 'access', 'audit'],
  jobs: ['platform', 'storage'],
  webhooks: ['platform', 'storage', 'access', 'audit', 'jobs'],
  session: ['platform', 'engine', 'media', 'language', 'brain'],
  transcription: [
    'audit',
    'privacy',
    'platform',
    'storage',
    'access',
    'billing',
    'jobs',
    'webhooks',
    'pii',
    'language',
    'engine',
    'codec',
  ],
  voices: ['platform', 'storage', 'access', 'engine'],
  knowledge: ['platform', 'storage', 'access', 'privacy', 'jobs', 'codec', 'language', 'retrieval', 'engine'],
  calls: [
    'audit',
    'privacy',
    'platform',
    'storage',
    'access',
    'billing',
    'engine',
    'media',
    'brain',
    'retrieval',
    'session',
    'voices',
    'agents',
    'capture',
    'language',
  ],
  server: ['platform', 'storage', 'access', 'audit'],
  surfaces: [
    'privacy',
    'platform',
    'storage',
    'access',
    'audit',
    'billing',
    'jobs',
    'webhooks',
    'engine',
    'agents',
    'amd',
    'trace',
    'recap',
    'media',
    'codec',
    'session',
    'pii',
    'transcription',
    'voices',
    'knowledge',
    'calls',
    'server',
  ],
  web: ['platform'],
  cli: ['audit', 'platform', 'storage', 'access', 'billing', 'engine', 'codec', 'brain', 'main'],
  main: '*',
};

/** Rooms whose folders are rooms of their own: a surface never uses another surface. */
export const APART = ['surfaces'];

/** The files that may read customers' rows over the borders of organizations, projects and environments: each serves
 * no caller, but a lease, a sweep or the end of what its own node began. */
export const ACROSS_BORDERS = [
  'amd/retention.ts',
  'storage/borders.ts',
  'storage/index.ts',
  'calls/call-store.ts',
  'calls/retention.ts',
  'knowledge/gap-sweep.ts',
  'privacy/expiry.ts',
  'transcription/run/run.ts',
  'transcription/run/stored.ts',
  'server/idempotency/kept-answers.ts',
  'transcription/sweep.ts',
  'trace/retention.ts',
  'voices/store.ts',
  'webhooks/deliver.ts',
  'webhooks/webhooks.ts',
];

/** Files through which one room may use another: its door, or the types of its door. */
export const DOORS = ['index.ts', 'contract.ts', 'surface.ts'];

/** Folders whose every file is a door: the table types, one file a room. */
export const OPEN_FOLDERS = ['storage/tables'];

/** Rooms that may also name the types (never the values) of another room's contract: a column holds such a value. */
export const TYPES_OF_CONTRACTS = { storage: ['access', 'billing', 'jobs', 'webhooks'] };

/** Rooms whose top-level files are small doors of their own (errors.ts, clock.ts, ids.ts). */
export const FLAT = ['platform'];

/** Rooms of native/. A room may have rooms of its own: `text/tokens`. Its one door is the header of its own name. */
export const NATIVE = {
  base: [],
  dsp: ['base'],
  onnx: ['base'],
  'text/unicode': [],
  'text/tokens': ['base', 'text/unicode'],
  'text/reading': ['text/unicode'],
  'text/phonemes': ['base', 'text/unicode'],
  vad: ['base', 'dsp', 'onnx'],
  asr: ['base', 'dsp', 'onnx', 'text/unicode', 'text/tokens', 'text/phonemes'],
  speaker: ['base', 'dsp', 'onnx'],
  tts: ['base', 'dsp', 'onnx', 'text/reading', 'text/phonemes', 'speaker'],
  engine: ['base', 'onnx'],
  hear: ['base', 'dsp', 'onnx', 'text/reading', 'vad', 'asr', 'speaker', 'engine'],
  amd: ['base', 'dsp', 'vad', 'asr', 'engine', 'hear'],
  speak: ['base', 'vad', 'speaker', 'tts', 'engine'],
  embed: ['base', 'text/tokens', 'engine'],
  omni: ['base', 'dsp', 'text/reading', 'asr', 'tts', 'engine', 'hear', 'speak'],
  binding: ['base', 'engine', 'hear', 'amd', 'speak', 'embed', 'omni'],
};

/** Native rooms whose headers are small doors of their own. */
export const NATIVE_FLAT = ['base'];

/** Folders of native/ that are no rooms: tests, the loader's headers, the program that links nothing of the engine. */
export const OUTSIDE = ['test', 'gyp', 'phonemes', 'cmake'];

/** Headers that belong to one room alone. */
export const HEADERS = [
  { pattern: /^(napi|node_api|js_native_api|uv|v8|node)\.h$/, room: 'binding' },
  { pattern: /^onnx\/ort_abi\.h$|^onnxruntime/, room: 'onnx' },
];
/** What outgrew its limit (350 lines a file, 25 members a class) before the limit was held, and is still to be split. Only ever shorter. */
export const LARGER = [
  'src/access/index.ts AccessRoom',
  'src/jobs/worker.ts Worker',
  'src/server/listener/outgoing.ts Outgoing',
  'src/surfaces/hear/stream-session.ts StreamSession',
  'test/brain/endpoint/chat-endpoint.test.ts',
  'test/server/sockets.test.ts',
  'test/session/session.test.ts',
  'test/surfaces/account/account.test.ts',
  'test/surfaces/omni/brain-faults.test.ts',
];
