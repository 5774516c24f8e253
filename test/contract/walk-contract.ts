import { afterAll, describe, expect, it } from 'vitest';
import { inTurn, itWhere } from '../long-tests.ts';
import { CASES } from './cases/index.ts';
import { checkAnswer, checkForeign, checkSuccess, credential, sentOf, urlOf } from './checks.ts';
import { HOSTILE_BODIES, HOSTILE_PATHS, HOSTILE_QUERIES, HOSTILE_VALUES } from './hostile.ts';
import { credentialKind, type DescribedOperation, operationsOf } from './operations.ts';
import { ValidRequests, WHOLE } from './valid-requests.ts';
import type { World } from './world.ts';

const SLOWEST_MS = 120_000;

export function walkContract(world: World): void {
  const operations = operationsOf(world.openapi);

  afterAll(() => world.stop());

  it('has a case for every operation, and an operation for every case', () => {
    expect(Object.keys(CASES).sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  const withCases = operations.flatMap((operation, at) => {
    const one = CASES[operation.name];
    return one ? [[operation.name, operation, one, at] as const] : [];
  });

  describe.each(withCases)('%s', (_name, operation, one, at) => {
    const ours = credential(operation, world.ours);
    const goods = new ValidRequests(world, world.ours, one);

    const succeeds = itWhere(one.cannotSucceed === undefined);
    (one.needsModels === true && !world.ready ? it.skip : succeeds)(
      'answers a good request as described',
      async () => {
        const good = await goods.next();
        const answer = goods.observe(await world.send(urlOf(operation, good), sentOf(operation, good, ours)));
        checkAnswer(operation, answer);
        checkSuccess(operation, answer);
      },
    );

    itWhere(credentialKind(operation) !== 'none')(
      'is closed without a credential and with a bad one',
      async () => {
        const { headers: _own, ...good } = await goods.next();
        const ask = (headers: Record<string, string>) =>
          world.send(urlOf(operation, good), sentOf(operation, good, headers));
        const without = await ask({});
        checkAnswer(operation, without);
        expect(without.json).toMatchObject({ error: { code: 'missing_api_key' } });
        for (const authorization of [
          'Bearer svc_test_nonsense',
          'Bearer ',
          'Basic YTpi',
          `Bearer ${'x'.repeat(2000)}`,
        ]) {
          const bad = await ask({ authorization });
          checkAnswer(operation, bad);
          expect(bad.status).toBe(401);
        }
        if (credentialKind(operation) === 'session' || credentialKind(operation) === 'operator') {
          const key = await ask({ authorization: `Bearer ${world.ours.key}` });
          checkAnswer(operation, key);
          expect(key.status).toBe(403);
        }
      },
    );

    itWhere(one.ignoresUnknown !== true)('names a query parameter that it does not know', async () => {
      const good = await goods.next();
      const answer = goods.observe(
        await world.send(urlOf(operation, good, { surprise: '1' }), sentOf(operation, good, ours)),
      );
      checkAnswer(operation, answer);
      expect(answer.json).toMatchObject({ error: { code: 'invalid_request', param: 'surprise' } });
    });

    itWhere(operation.parameters.some((parameter) => parameter.in === 'query'))(
      'stands hostile queries',
      async () => {
        const queries = operation.parameters.filter((each) => each.in === 'query');
        for (const [index, parameter] of queries.entries()) {
          // The short form tries a hostile value that costs the server seconds only once.
          const some = inTurn(HOSTILE_QUERIES, 3, at + index);
          for (const value of one.costly && !WHOLE ? HOSTILE_QUERIES.slice(-1) : some) {
            const good = await goods.next();
            const asked = urlOf(operation, good, { [parameter.name]: value });
            const answer = goods.observe(await world.send(asked, sentOf(operation, good, ours)));
            checkAnswer(operation, answer);
          }
        }
      },
      SLOWEST_MS,
    );

    itWhere((operation.body ?? operation.form) !== undefined && one.ignoresUnknown !== true)(
      'names a field that it does not know',
      async () => {
        const good = await goods.next();
        const odd = good.form
          ? { ...good, form: () => withSurprise(good.form!()) }
          : { ...good, json: { ...(good.json as object), surprise: 1 } };
        const answer = goods.observe(await world.send(urlOf(operation, good), sentOf(operation, odd, ours)));
        checkAnswer(operation, answer);
        expect(answer.json).toMatchObject({ error: { param: 'surprise' } });
      },
    );

    itWhere(operation.body !== undefined)('stands hostile bodies', async () => {
      for (const [what, body, type] of inTurn(HOSTILE_BODIES, 3, at)) {
        const good = await goods.next();
        const headers = { ...ours, ...good.headers, 'content-type': type };
        const sent = { method: operation.method, headers, body };
        const answer = goods.observe(await world.send(urlOf(operation, good), sent));
        checkAnswer(operation, answer);
        expect(answer.status, what).toBeGreaterThanOrEqual(400);
      }
    });

    itWhere(operation.body !== undefined && (one.costly !== true || WHOLE))(
      'stands hostile values in every field',
      async () => {
        await hostileFields(world, operation, goods, at);
      },
      SLOWEST_MS,
    );

    itWhere(operation.path.includes('{'))('stands hostile paths', async () => {
      for (const hostile of inTurn(HOSTILE_PATHS, 4, at)) {
        const good = await goods.next();
        const path = operation.path.replaceAll(/\{[^}]+\}/g, hostile);
        const answer = goods.observe(await world.send(path, sentOf(operation, good, ours)));
        if (operation.responses[String(answer.status)]) checkAnswer(operation, answer);
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
        if (one.lenient) expect(answer.status).toBeLessThan(500);
        else expect([400, 404, 405, 410, 422]).toContain(answer.status);
      }
    });

    itWhere(operation.path.includes('{') && one.shared !== true)(
      'answers another organization’s id as an unknown one',
      async () => {
        await checkForeign(world, operation, one);
      },
    );
  });
}

function withSurprise(form: FormData): FormData {
  form.append('surprise', '1');
  return form;
}

/** Each field holds hostile values, in the short form a sixth of them in turn; any answer is right except a failure of the server. */
async function hostileFields(
  world: World,
  operation: DescribedOperation,
  goods: ValidRequests,
  at: number,
): Promise<void> {
  const ours = credential(operation, world.ours);
  const fields = Object.keys((operation.body as { properties?: object }).properties ?? {});
  for (const [index, field] of fields.entries()) {
    for (const value of inTurn(HOSTILE_VALUES, 6, at + index)) {
      const good = await goods.next();
      const json = { ...(good.json as object), [field]: value };
      const sent = sentOf(operation, { ...good, json }, ours);
      const answer = goods.observe(await world.send(urlOf(operation, good), sent));
      checkAnswer(operation, answer);
    }
  }
}
