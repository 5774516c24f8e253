import { type Cases, plain } from '../case.ts';
import { OPERATOR_TOKEN } from '../world.ts';

export const platformCases: Cases = {
  'GET /': plain,
  'GET /llms.txt': plain,
  'GET /healthz': plain,
  'GET /readyz': { ...plain, cannotSucceed: 'models may be missing here' },
  'GET /metrics': { good: () => ({ headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } }) },
  'GET /openapi.json': plain,
  'GET /asyncapi.json': plain,
  'GET /docs': plain,
  'GET /docs/reference.js': plain,
  'GET /problems': plain,
  'GET /problems/{code}': { good: () => ({ path: { code: 'not_found' } }), shared: true },
};
