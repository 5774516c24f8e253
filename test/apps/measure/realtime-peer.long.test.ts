// @requirement Measuring: The latency harness calls servers of OpenAI Realtime.
/**
 * The harness measures another project's server of OpenAI's protocol. It takes minutes and half a gigabyte, so it
 * runs in the long form.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readMeasurement } from '../../../src/apps/measure/index.ts';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { freePort } from '../../free-port.ts';
import { long, longForm } from '../../long-tests.ts';
import { absent } from '../../media/codec/recordings.ts';
import { compileProgram, dataFolder, Running } from '../../running-server.ts';
import { peerMissing, startPeer } from './speech-to-speech.ts';

if (long && peerMissing !== '') console.warn(`SKIPPED: no realtime server of others: ${peerMissing}`);

describe.skipIf(!long || absent || peerMissing)(
  longForm('OpenAI’s realtime protocol, spoken by others'),
  () => {
    it('is measured: answers, and how soon they end when they are spoken over', async () => {
      await compileProgram();
      const model = await ScriptedEndpoint.start(ORDERS);
      onTestFinished(() => model.close());
      const world = await World.open();
      onTestFinished(() => world.stop());
      const speech = { url: world.url, key: world.ours.key };
      const behind = { speech, model: model.url, port: await freePort() };
      const url = await startPeer(behind, (stop) => onTestFinished(stop));
      const file = join(dataFolder(), 'measured.json');
      const key = ['--key', 'none', '--voice-url', world.url, '--voice-key', world.ours.key];
      const options = ['--protocol', 'realtime', '--sound', 'pcm', '--calls', '1', '--rounds', '2'];
      const run = new Running(['measure', url, ...options, ...key, '--save', file]);
      expect(await run.code(), run.errors).toBe(0);
      const found = readMeasurement(readFileSync(file, 'utf8'), file);
      expect(found).toMatchObject({ protocol: 'realtime', calls: 1, first_word_ms: [] });
      expect(found.gap_ms).toHaveLength(2);
      for (const gap of found.gap_ms) {
        expect(gap).toBeGreaterThan(100);
        expect(gap).toBeLessThan(15_000);
      }
      expect(found.cut_ms.length).toBeGreaterThan(0);
      for (const cut of found.cut_ms) expect(cut).toBeGreaterThan(0);
      expect(model.received.length).toBeGreaterThan(1);
    }, 900_000);
  },
);
