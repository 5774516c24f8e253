/**
 * The arrows: which room may use which. A room is a folder of src/ or native/. What is not listed is not allowed; a
 * new room is added here, with the reason in the commit that adds it.
 */

/** Rooms of src/. `platform` uses only libraries; nobody uses `main` but the program that starts it. */
export const TYPESCRIPT = {
  platform: [],
  media: ['platform'],
  codec: ['platform'],
  brain: ['platform'],
  pii: ['platform'],
  engine: ['platform', 'media'],
  storage: ['platform'],
  billing: ['platform', 'storage', 'access'],
  access: ['platform', 'storage', 'billing'],
  jobs: ['platform', 'storage', 'access', 'billing'],
  webhooks: ['platform', 'storage', 'access', 'jobs'],
  session: [
    'platform',
    'storage',
    'access',
    'billing',
    'jobs',
    'webhooks',
    'engine',
    'media',
    'brain',
    'codec',
  ],
  server: ['platform', 'access'],
  surfaces: [
    'platform',
    'storage',
    'access',
    'billing',
    'jobs',
    'webhooks',
    'engine',
    'media',
    'codec',
    'session',
    'brain',
    'pii',
    'server',
  ],
  web: ['platform'],
  cli: ['platform', 'storage', 'access', 'billing', 'engine', 'codec', 'brain', 'main'],
  main: '*',
};

/** Rooms whose folders are rooms of their own: a surface never uses another surface. */
export const APART = ['surfaces'];

/** Files through which one room may use another: its door, or the types of its door. */
export const DOORS = ['index.ts', 'contract.ts', 'surface.ts'];

/** Folders whose every file is a door: the table types, one file a room. */
export const OPEN_FOLDERS = ['storage/tables'];

/** Rooms that may also name the types (never the values) of another room's contract: a column holds such a value. */
export const TYPES_OF_CONTRACTS = { storage: ['access', 'billing', 'jobs', 'webhooks'] };

/** Rooms whose top-level files are small doors of their own (errors.ts, clock.ts, ids.ts). */
export const FLAT = ['platform'];

/** Rooms of native/. */
export const NATIVE = {
  base: [],
  dsp: ['base'],
  onnx: ['base'],
  text: ['base'],
  vad: ['base', 'dsp', 'onnx', 'text'],
  asr: ['base', 'dsp', 'onnx', 'text'],
  tts: ['base', 'dsp', 'onnx', 'text'],
  amd: ['base', 'dsp', 'onnx', 'text'],
  engine: ['base', 'dsp', 'onnx', 'text', 'vad', 'asr', 'tts', 'amd'],
  binding: ['engine', 'base'],
};

/** Headers that belong to one room alone. */
export const HEADERS = [
  { pattern: /^(napi|node_api|js_native_api|uv|v8|node)\.h$/, room: 'binding' },
  { pattern: /^onnx\/ort_abi\.h$|^onnxruntime/, room: 'onnx' },
];
