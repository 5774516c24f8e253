/**
 * kokoro-js runs on the weights of the product with its own text, phonemes, choice of style and inference library.
 * Only its loader is replaced, which would fetch the weights from a hub: the pinned graph names its inputs
 * differently.
 *
 *     node bench/speak/peer-kokoro-js.mjs FOLDER KOKORO.onnx VOCABULARY.json RUNS TEXT
 *
 * The first run installs it in FOLDER (never a dependency of the product). It prints {version, runtime, ms, seconds}.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const [folder, graph, vocabularyFile, runs, text] = process.argv.slice(2);
const VERSION = '1.2.1';

function install() {
  if (existsSync(join(folder, 'node_modules/kokoro-js/package.json'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const flags = ['install', '--ignore-scripts', '--silent', '--no-audit', '--no-fund', '--prefix', folder];
  const done = spawnSync('npm', [...flags, `kokoro-js@${VERSION}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (done.status !== 0) throw new Error('npm could not install kokoro-js');
}

install();
const from = createRequire(join(folder, 'node_modules/kokoro-js/dist/kokoro.js'));
const ort = from('onnxruntime-node');
const { KokoroTTS } = await import(pathToFileURL(join(folder, 'node_modules/kokoro-js/dist/kokoro.js')));
const vocabulary = JSON.parse(readFileSync(vocabularyFile, 'utf8'));
const ids = vocabulary.vocab ?? vocabulary;
const session = await ort.InferenceSession.create(graph, { intraOpNumThreads: 2, interOpNumThreads: 1 });

const tokenizer = (phonemes) => {
  const tokens = [...phonemes].map((sign) => ids[sign]).filter((id) => id !== undefined);
  const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
  return { input_ids: new ort.Tensor('int64', padded, [1, padded.length]) };
};
const plain = ({ type, data, dims }) => new ort.Tensor(type, data, [...dims]);
const model = async ({ input_ids, style, speed }) => {
  const [waveform] = Object.values(
    await session.run({ tokens: plain(input_ids), style: plain(style), speed: plain(speed) }),
  );
  return { waveform };
};

const kokoro = new KokoroTTS(model, tokenizer);
const times = [];
let seconds = 0;
for (let run = -1; run < Number(runs); run++) {
  const began = performance.now();
  const { audio, sampling_rate } = await kokoro.generate(text, { voice: 'af_heart' });
  if (run >= 0) times.push(performance.now() - began);
  seconds = audio.length / sampling_rate;
}
times.sort((a, b) => a - b);
const runtime = JSON.parse(
  readFileSync(join(folder, 'node_modules/onnxruntime-node/package.json'), 'utf8'),
).version;
console.log(JSON.stringify({ version: VERSION, runtime, ms: times[times.length >> 1], seconds }));
