import { type Case, type Cases, plain } from '../case.ts';

const needsCall: Case = {
  good: () => ({ path: { call_id: 'ocl_00000000000000000000' } }),
  cannotSucceed: 'a call needs a caller: test/surfaces/omni has one',
};

export const omniCases: Cases = {
  'GET /v1/omni/calls': plain,
  'GET /v1/omni/calls/{call_id}': needsCall,
  'GET /v1/omni/calls/{call_id}/transcript': needsCall,
  'DELETE /v1/omni/calls/{call_id}': needsCall,
  'GET /v1/omni/calls/{call_id}/recording': needsCall,
  'DELETE /v1/omni/calls/{call_id}/recording': needsCall,
  'POST /v1/omni/webrtc': {
    good: () => ({}),
    cannotSucceed: 'its body is an SDP offer: test/surfaces/omni/webrtc.test.ts has browsers that make one',
  },
  'GET /widget.js': plain,
  'PATCH /v1/omni/webrtc/{call_id}': needsCall,
  'DELETE /v1/omni/webrtc/{call_id}': needsCall,
};
