/**
 * Requests a server's `/healthz` every 50 ms from a process of its own. In addition to the wall-clock time it
 * measures the time for which the server's main thread ran, as the kernel counts it: on a loaded machine an answer
 * waits for a CPU, and that wait is not the server's. Answers `take` with the longest time since the last one.
 */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';

const EVERY_MS = 50;
const [, , url, pid] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

const ranMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const once = () =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const ran = ranMs();
    const request = get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode !== 200) return reject(new Error(`it answered ${response.statusCode}`));
        const tookMs = performance.now() - began;
        resolve({ tookMs, ownMs: Math.min(tookMs, ranMs() - ran) });
      });
    });
    request.on('error', reject);
  });

const fresh = () => ({ answers: 0, tookMs: 0, ownMs: 0, failed: null });
let round = fresh();
const running = new Set();

async function ask() {
  const mine = round;
  try {
    const { tookMs, ownMs } = await once();
    mine.answers += 1;
    mine.tookMs = Math.max(mine.tookMs, tookMs);
    mine.ownMs = Math.max(mine.ownMs, ownMs);
  } catch (error) {
    mine.failed = error.message;
  }
}

setInterval(() => {
  const asking = ask();
  running.add(asking);
  void asking.finally(() => running.delete(asking));
}, EVERY_MS);
process.on('message', async () => {
  // Pending requests are awaited, because a blocked server answers late, not never.
  await Promise.all(running);
  const ended = round;
  round = fresh();
  process.send(ended);
});
process.on('disconnect', () => process.exit(0));
process.send('ready');
