/** The key is the module's folder. The entry point of each module is the header of the same name. */
export const NATIVE = {
  base: [],
  dsp: ['base'],
  'dsp/watermark': ['base', 'dsp'],
  onnx: ['base'],
  'text/unicode': [],
  'text/tokens': ['base', 'text/unicode'],
  'text/reading': ['text/unicode'],
  'text/dictionaries': ['base', 'text/unicode'],
  'text/phonemes': ['base', 'text/unicode', 'text/dictionaries'],
  vad: ['base', 'dsp', 'onnx'],
  asr: ['base', 'dsp', 'onnx', 'text/unicode', 'text/tokens', 'text/phonemes'],
  speaker: ['base', 'dsp', 'onnx'],
  enhance: ['base', 'dsp', 'onnx'],
  tts: ['base', 'dsp', 'onnx', 'text/reading', 'text/phonemes', 'speaker'],
  engine: ['base', 'onnx'],
  'lanes/rtp': ['base', 'dsp', 'engine'],
  'lanes/echo': ['base', 'dsp', 'engine'],
  'lanes/denoise': ['base', 'dsp', 'onnx', 'enhance', 'engine'],
  'lanes/hear': ['base', 'dsp', 'onnx', 'text/reading', 'vad', 'asr', 'speaker', 'engine'],
  'lanes/amd': ['base', 'dsp', 'vad', 'asr', 'engine', 'lanes/hear'],
  'lanes/provenance': ['base', 'dsp', 'dsp/watermark', 'engine'],
  'lanes/speak': ['base', 'dsp/watermark', 'vad', 'speaker', 'tts', 'engine'],
  'lanes/cast': ['base', 'dsp', 'engine'],
  'lanes/dub': ['base', 'dsp', 'onnx', 'vad', 'engine'],
  'lanes/embed': ['base', 'onnx', 'text/tokens', 'engine'],
  'lanes/omni': [
    'base',
    'dsp',
    'dsp/watermark',
    'text/reading',
    'asr',
    'speaker',
    'tts',
    'enhance',
    'engine',
    'lanes/hear',
    'lanes/speak',
    'lanes/denoise',
  ],
  'binding/guard': [],
  binding: [
    'base',
    'dsp',
    'binding/guard',
    'engine',
    'lanes/rtp',
    'lanes/echo',
    'lanes/denoise',
    'lanes/hear',
    'lanes/amd',
    'lanes/speak',
    'lanes/cast',
    'lanes/dub',
    'lanes/embed',
    'lanes/omni',
    'lanes/provenance',
  ],
};

export const NATIVE_FLAT = ['base'];

export const OUTSIDE = ['test', 'programs'];

export const HEADERS = [
  { pattern: /^(napi|node_api|js_native_api|uv|v8|node)\.h$/, module: 'binding' },
  { pattern: /^onnx\/ort_abi\.h$|^onnxruntime/, module: 'onnx' },
];

/** The longest listed folder wins, so that `text/tokens` does not count as `text`. */
export function moduleOf(folder) {
  const parts = folder.split('/');
  for (let length = parts.length; length > 0; length--) {
    const module = parts.slice(0, length).join('/');
    if (NATIVE[module]) return module;
  }
  return undefined;
}

/** The name is also the module's namespace. All modules of text share one. */
export const nameOf = (module) => (module.startsWith('text/') ? 'text' : module.split('/').at(-1));
