import { type Case, type Cases, plain } from '../case.ts';

const needsCall: Case = {
  good: () => ({ path: { call_id: 'amd_00000000000000000000' } }),
  cannotSucceed: 'a call needs a carrier: test/edge/surfaces/amd has one',
};

export const amdCases: Cases = {
  'GET /v1/amd/config': plain,
  'POST /v1/amd/config': { good: () => ({ json: { aggressiveness: 0.4, mode: 'message_end' } }) },
  'GET /v1/amd/calls': plain,
  'GET /v1/amd/calls/{call_id}': needsCall,
  'GET /v1/amd/calls/{call_id}/picture': needsCall,
  'POST /v1/amd/calls/{call_id}/verdict': {
    ...needsCall,
    good: () => ({ path: { call_id: 'amd_00000000000000000000' }, json: { answered_by: 'human' } }),
  },
  'GET /v1/amd/report': plain,
};
