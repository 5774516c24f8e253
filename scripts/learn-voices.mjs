#!/usr/bin/env node
/**
 * Writes models/known-voices.bin: the calibration of each stock voice, and of each style that clones are blended
 * from, so that no machine has to compute it. Run it again when the stock voices change, and with --all when the speech models or
 * the calibration do; a test fails then. Without --all, only voices that the file lacks are learnt, in groups of their own.
 * native/tts/known_voices.h describes the format.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMain } from './setup/failure.mjs';
import { setUp } from './setup.mjs';

/** The text is long enough for a fit to recognize one speaker. */
const SAMPLE =
  'Thank you for calling. Please tell me how I can help you today, and I will look up your details. It will only take a moment.';

function readLearnt(path) {
  const bytes = readFileSync(path);
  const size = bytes.readUInt32LE(4);
  const whole = bytes.toString('utf8', 8, 8 + size);
  const cut = whole.startsWith('profile|') ? whole.lastIndexOf('|') : whole.indexOf('|');
  const numbers = bytes.subarray(16 + size);
  return {
    model: whole.slice(0, cut),
    key: whole.slice(cut + 1),
    centerHz: bytes.readFloatLE(8 + size),
    gain: bytes.readFloatLE(12 + size),
    numbers: Float32Array.from({ length: numbers.length / 4 }, (_, i) => numbers.readFloatLE(4 * i)),
  };
}

const text = (value) => {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(2);
  size.writeUInt16LE(bytes.length);
  return Buffer.concat([size, bytes]);
};
const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer);
const floats = (values) => Buffer.from(Float32Array.from(values).buffer);

function packGroup(model, voices) {
  const columns = voices[0].numbers.length;
  const least = new Float32Array(columns).fill(Number.POSITIVE_INFINITY);
  const most = new Float32Array(columns).fill(Number.NEGATIVE_INFINITY);
  for (const { numbers } of voices) {
    numbers.forEach((number, i) => {
      least[i] = Math.min(least[i], number);
      most[i] = Math.max(most[i], number);
    });
  }
  const step = least.map((low, i) => (most[i] - low) / 255);
  const rows = voices.map(({ key, centerHz, gain, numbers }) => {
    const bytes = numbers.map((number, i) => (step[i] > 0 ? Math.round((number - least[i]) / step[i]) : 0));
    return Buffer.concat([text(key), floats([centerHz, gain]), Buffer.from(bytes)]);
  });
  return Buffer.concat([text(model), u32(columns), floats(least), floats(step), u32(rows.length), ...rows]);
}

function pack(learnt) {
  const models = new Map();
  for (const voice of learnt) models.set(voice.model, [...(models.get(voice.model) ?? []), voice]);
  const byName = (a, b) => (a < b ? -1 : 1);
  const groups = [...models].sort(([a], [b]) => byName(a, b));
  const packed = groups.map(([model, voices]) =>
    packGroup(
      model,
      voices.sort((a, b) => byName(a.key, b.key)),
    ),
  );
  return { count: groups.length, bytes: Buffer.concat(packed) };
}

const MAGIC = Buffer.from('TLKV0001');

/** Appends the groups to those of the file, whose rows keep their bytes. */
function store(path, learnt, all) {
  const before = all ? null : readFileSync(path);
  const known =
    before === null
      ? { count: 0, bytes: Buffer.alloc(0) }
      : { count: before.readUInt32LE(8), bytes: before.subarray(12) };
  const added = pack(learnt);
  const whole = Buffer.concat([MAGIC, u32(known.count + added.count), known.bytes, added.bytes]);
  writeFileSync(path, whole);
  return whole.length;
}

/** Fits a voice to a stock voice of each gender, so that the styles of both genders are calibrated. */
async function learnStyles(engine, stock, { StyleFitter, stockVoice, synthesizeJob }) {
  const fitter = new StyleFitter(engine, stock);
  for (const name of ['heart_en_us', 'michael_en_us']) {
    const voice = stockVoice(stock.resolve(name)).engine;
    const order = { voice, rate: 16_000, format: 'pcm16' };
    const pcm = await engine.submit(synthesizeJob, order, Buffer.from(SAMPLE)).result();
    await fitter.fit(Buffer.from(pcm), new AbortController().signal);
  }
}

await runMain(async () => {
  await setUp({ native: true, models: true });
  const { Engine, KNOWN_VOICES, learnVoiceJob, speechSettings, synthesizeJob } = await import(
    '../dist/media/engine/index.js'
  );
  const { Models } = await import('../dist/foundation/platform/models/index.js');
  const { isSpoken, StockVoices, stockVoice, StyleFitter } = await import('../dist/speech/voices/index.js');
  const folder = mkdtempSync(join(tmpdir(), 'learn-voices-'));
  const all = process.argv.includes('--all');
  const known = all ? '' : KNOWN_VOICES;
  const settings = { ...speechSettings(folder), 'speak.calibrations': folder, 'speak.known_voices': known };
  const engine = new Engine({ models: new Models().wholeFiles(), settings });
  const awake = setInterval(() => {}, 60_000);
  try {
    await engine.prepared();
    const stock = new StockVoices();
    const spoken = stock.list.filter((voice) => isSpoken(voice) && voice.available_on.length > 0);
    for (const voice of spoken) {
      await engine.submit(learnVoiceJob, { voice: stockVoice(voice).engine }, Buffer.alloc(0)).result();
      console.log(`learnt ${voice.id}`);
    }
    if (all) await learnStyles(engine, stock, { StyleFitter, stockVoice, synthesizeJob });
    const files = readdirSync(folder).filter((name) => name.endsWith('.cal'));
    const learnt = files.map((name) => readLearnt(join(folder, name)));
    const size = learnt.length === 0 ? 0 : store(KNOWN_VOICES, learnt, all);
    console.log(
      size === 0 ? 'every voice is known' : `${KNOWN_VOICES}: ${size} bytes, ${files.length} entries more`,
    );
  } finally {
    clearInterval(awake);
    engine.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
});
