/**
 * The benchmarks by name:
 *
 *   npm run bench                           lists them
 *   npm run bench -- NAME [ARGUMENTS…]      runs one: [--json FILE] [--quick], and the parts that it knows
 *   npm run bench -- all [--json FILE]      runs all, one after another, and joins their figures into one file
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMain } from '../scripts/setup/failure.mjs';
import { stripTypes } from '../scripts/setup/strip-types.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const BENCHMARKS = {
  dsp: { what: 'kernels of sound beside other libraries', program: 'kernels/dsp' },
  boundary: { what: 'frames across the native boundary' },
  codec: { what: 'decoding and encoding of audio files' },
  sockets: { what: 'frames through the listener beside ws' },
  autobahn: { what: 'the conformance of WebSockets' },
  upload: { what: 'uploads beside other servers' },
  access: { what: 'keys, revocation and usage events', services: true },
  fairness: { what: 'what a hostile tenant costs another' },
  jobs: { what: 'transcription jobs, the queue and deliveries', services: true },
  'long-file': { what: 'a file of hours, with a kill half-way', program: 'jobs/long-file' },
  capture: { what: 'numbers, dates and names said to an agent' },
  hear: { what: 'recognition beside a peer' },
  speak: { what: 'synthesis and its kernels' },
  'sound-quality': { what: 'voices, concealed losses, echo and the watermark as listeners would judge them' },
  denoise: { what: 'noise taken out of what people listen to, beside RNNoise' },
  omni: { what: 'calls: gaps, interruptions, sessions' },
  noise: { what: 'callers among others, with the speaker lock and without', program: 'omni/noise' },
  'ends-of-turn': {
    what: 'when a caller has finished, beside Smart Turn alone and fixed waits',
    program: 'omni/ends-of-turn',
  },
  processors: { what: 'the goals at AVX2, AVX-512 and AMX' },
  cast: { what: 'casts: speed, edits, loudness, voices, words' },
  amd: { what: 'who answered: verdicts, times and load beside peers' },
  telephony: { what: 'calls over SIP: held, set up, and how late their sound is' },
  cluster: { what: 'three nodes whose services and nodes fail under calls', services: true },
  scale: { what: 'clusters to 100,000 calls, simulated', program: 'cluster/scale' },
  jitter: { what: 'the jitter buffer beside fixed ones, at losses and delays' },
  compliance: { what: 'fields read in documents of compliance cases' },
  trace: { what: 'personal data found, and the price of rules' },
  dub: { what: 'dubs: time, cuts, likeness, words understood' },
  provenance: { what: 'the mark of what is spoken: found, false, heard, its price' },
  knowledge: { what: 'passages found for questions typed and spoken; what bases cost' },
  meaning: {
    what: 'questions in twelve languages whose English passage is found by its meaning',
    program: 'knowledge/meaning',
  },
  brain: { what: 'the first token of a language model on this machine, by the length of its prompt' },
  answers: { what: 'what the language models that set-up can download answer', program: 'brain/answers' },
  gpu: { what: 'forms of models for a GPU beside the processor’s; `rehearse` runs them on the processor' },
  compatibility: { what: 'features of others’ clients: unchanged, different as documented, broken' },
  start: { what: 'the second npm start' },
  'at-rest': {
    what: 'the memory and the processor of a server that nobody uses',
    program: 'start/at-rest',
  },
  flows: {
    what: 'steps held, calls completed and prompts of flows, with a model that misbehaves; `local` adds one that runs here',
  },
  languages: { what: 'calls that follow their caller’s language: false switches, and how soon they follow' },
  install: {
    what: 'from npm install in an empty folder to ready, of what npm run pack wrote',
    program: 'start/install',
  },
  console: { what: 'when a phone on a 4G line sees the console' },
  'first-call': {
    what: 'from npm start to an agent’s first words in a browser',
    program: 'start/first-call',
  },
};

const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

/** The compiled sources look for the addon and the manifest next to them, as dist/ does. */
async function build() {
  for (const folder of ['src', 'bench'])
    await stripTypes(join(root, folder), join(root, 'dist-bench', folder));
  for (const name of ['lib', 'models']) {
    const link = join(root, 'dist-bench', name);
    if (!existsSync(link)) symlinkSync(join('..', name), link);
  }
}

function runProgram(program, args, services = false) {
  const command = ['--enable-source-maps', `dist-bench/bench/${program}.js`, ...args];
  return run(
    process.execPath,
    services ? ['scripts/with-services.mjs', process.execPath, ...command] : command,
  );
}

const runOne = (name, args) =>
  runProgram(BENCHMARKS[name].program ?? `${name}/${name}`, args, BENCHMARKS[name].services);

function runAll(args) {
  const jsonAt = args.indexOf('--json');
  const jsonFile = jsonAt >= 0 ? args[jsonAt + 1] : undefined;
  const rest = jsonAt >= 0 ? args.toSpliced(jsonAt, 2) : args;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const failed = [];
  const joined = { machine: null, figures: [] };
  for (const name of Object.keys(BENCHMARKS)) {
    console.log(`\n== ${name}`);
    const part = join(folder, `${name}.json`);
    if (runOne(name, ['--json', part, ...rest]) !== 0) {
      failed.push(name);
      continue;
    }
    const { machine, figures } = JSON.parse(readFileSync(part, 'utf8'));
    joined.machine ??= machine;
    joined.figures.push(...figures.map((figure) => ({ ...figure, name: `${name}: ${figure.name}` })));
  }
  rmSync(folder, { recursive: true });
  if (jsonFile) writeFileSync(jsonFile, `${JSON.stringify(joined, null, 2)}\n`);
  const missed = joined.figures.filter((figure) => figure.holds === false);
  for (const figure of missed)
    console.log(`goal missed: ${figure.name}: ${figure.value} ${figure.unit}, ${figure.goal}`);
  const ran = Object.keys(BENCHMARKS).length - failed.length;
  console.log(`${ran} benchmarks ran, ${failed.length} failed${failed.map((n) => ` ${n}`)}`);
  return failed.length === 0 ? 0 : 1;
}

function list(out) {
  for (const [name, { what }] of Object.entries(BENCHMARKS)) out(`  ${name.padEnd(10)} ${what}`);
}

async function main([name, ...args]) {
  if (name === undefined) {
    console.log('npm run bench -- NAME [--quick] [--json FILE] [PART…]\n');
    list(console.log);
    console.log('  all        every one of them');
    return 0;
  }
  const program = name.endsWith('.ts') ? name.replace(/^bench\//, '').replace(/\.ts$/, '') : null;
  if (program === null && name !== 'all' && !Object.hasOwn(BENCHMARKS, name)) {
    console.error(`there is no benchmark ${name}; there are:\n`);
    list(console.error);
    return 2;
  }
  await build();
  if (name === 'all') return runAll(args);
  return program === null ? runOne(name, args) : runProgram(program, args);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(() => main(process.argv.slice(2)));
