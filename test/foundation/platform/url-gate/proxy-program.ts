import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';

const gate = new UrlGate({ allowLoopback: true });
try {
  const answer = await gate.fetch(process.argv[2] as string, { maxBytes: 1000, timeoutMs: 10_000 });
  answer.body.resume();
  process.send?.(String(answer.status));
} catch (error) {
  process.send?.((error as Error).message);
}
await gate.close();
