/** The rooms of native/, and which of them each may include. */

/** Rooms of native/. A room may have rooms of its own: `text/tokens`. Its one door is the header of its own name. */
export const NATIVE = {
  base: [],
  guard: [],
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
  rtp: ['base', 'dsp', 'engine'],
  echo: ['base', 'dsp', 'engine'],
  hear: ['base', 'dsp', 'onnx', 'text/reading', 'vad', 'asr', 'speaker', 'engine'],
  amd: ['base', 'dsp', 'vad', 'asr', 'engine', 'hear'],
  mark: ['base', 'dsp', 'engine'],
  speak: ['base', 'vad', 'speaker', 'tts', 'engine', 'mark'],
  cast: ['base', 'dsp', 'engine'],
  dub: ['base', 'dsp', 'onnx', 'vad', 'engine'],
  embed: ['base', 'text/tokens', 'engine'],
  omni: ['base', 'dsp', 'text/reading', 'asr', 'tts', 'engine', 'hear', 'speak', 'mark'],
  binding: [
    'base',
    'guard',
    'engine',
    'rtp',
    'echo',
    'hear',
    'amd',
    'speak',
    'cast',
    'dub',
    'embed',
    'omni',
    'mark',
  ],
};

/** Native rooms whose headers are small doors of their own. */
export const NATIVE_FLAT = ['base'];

/** Folders of native/ that are no rooms: tests, the loader's headers, the programs that link nothing of the engine. */
export const OUTSIDE = ['test', 'gyp', 'phonemes', 'sip', 'cmake'];

/** Headers that belong to one room alone. */
export const HEADERS = [
  { pattern: /^(napi|node_api|js_native_api|uv|v8|node)\.h$/, room: 'binding' },
  { pattern: /^onnx\/ort_abi\.h$|^onnxruntime/, room: 'onnx' },
];
