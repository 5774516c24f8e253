import { afterAll, describe, expect, it } from 'vitest';
import { CASES } from '../contract/cases/index.ts';
import { checkAnswer, credential, sentOf, urlOf } from '../contract/checks.ts';
import { operationsOf } from '../contract/operations.ts';
import { World } from '../contract/world.ts';
import { compileProgram } from '../running-server.ts';
import { FailingDisk } from './failing-disk.ts';
import { ServerProcess } from './server-process.ts';

await compileProgram();
const failing = new FailingDisk();
const world = await World.open({
  apart: async ({ TRUNKLINE_DATA: data = '', ...environment }) => {
    const served = await ServerProcess.start({
      data,
      environment: { ...environment, ...failing.environment(data) },
    });
    return { url: served.url, stop: () => served.end() };
  },
});
afterAll(async () => {
  await world.stop();
  failing.remove();
});

const KEEP_NOTHING = new Set([
  'POST /auth/{hosting_partner}/webhook',
  // A server without mail sends no link.
  'POST /auth/password/forgot',
  'POST /mcp',
  'POST /v1/agents/{agent_id}/flow/check',
  'POST /v1/agents/{agent_id}/flow/simulate',
  'POST /v1/audio/provenance',
  // The answer is a model that is being added; whatever fails later is said by `GET /v1/operator/models`.
  'POST /v1/operator/models',
  'POST /v1/knowledgebases/{id}/query',
  'POST /v1/telephony/trial-calls',
  'POST /v1/trace/interactions/{id}/rerun',
  'POST /v1/trace/rule-packs/dry-run',
]);

const tried = operationsOf(world.openapi)
  .filter(({ method }) => method !== 'GET')
  .flatMap((operation) => {
    const one = CASES[operation.name];
    const cannot = one?.cannotSucceed !== undefined || (one?.needsModels === true && !world.ready);
    return one === undefined || cannot ? [] : [[operation.name, operation, one] as const];
  });

describe('a full disk', () => {
  it.each(tried)('%s is refused as unavailable, and nothing else', async (name, operation, one) => {
    const good = await one.good(world, world.ours);
    const sent = sentOf(operation, good, credential(operation, world.ours));
    failing.fail('ENOSPC');
    try {
      const answer = await world.send(urlOf(operation, good), sent);
      checkAnswer(operation, answer);
      if (KEEP_NOTHING.has(name)) expect(answer.status).toBeLessThan(300);
      else expect(answer.json ?? answer.text).toMatchObject({ error: { code: 'unavailable' } });
    } finally {
      failing.mend();
    }
  });
});
