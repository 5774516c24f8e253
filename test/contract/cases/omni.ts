import { builtConsole } from '../../apps/console/built.ts';
import { type Case, type Cases, plain } from '../case.ts';

const needsCall: Case = {
  good: () => ({ path: { call_id: 'ocl_00000000000000000000' } }),
  cannotSucceed: 'a call needs a caller: test/edge/surfaces/omni has one',
};

export const omniCases: Cases = {
  'GET /v1/analytics/calls': plain,
  'GET /v1/analytics/flows': { good: () => ({ query: { agent_id: 'agt_00000000000000000000' } }) },
  'GET /v1/calls': plain,
  'GET /v1/calls/{id}': {
    good: () => ({ path: { id: 'ocl_00000000000000000000' } }),
    cannotSucceed: 'a call needs a caller: test/edge/surfaces/calls has some',
  },
  'GET /v1/omni/calls': plain,
  'GET /v1/omni/calls/{call_id}': needsCall,
  'GET /v1/omni/calls/{call_id}/transcript': needsCall,
  'GET /public/omni/transcripts/{call_id}': {
    good: () => ({
      path: { call_id: 'ocl_00000000000000000000' },
      query: { expires: '4102444800', signature: 'A'.repeat(43) },
    }),
    cannotSucceed: 'a signature needs a call: test/edge/surfaces/omni/call-pages.test.ts has one',
  },
  'GET /v1/omni/calls/{call_id}/summary': needsCall,
  'DELETE /v1/omni/calls/{call_id}': needsCall,
  'GET /v1/omni/calls/{call_id}/recording': needsCall,
  'DELETE /v1/omni/calls/{call_id}/recording': needsCall,
  'POST /v1/omni/webrtc': {
    good: () => ({}),
    cannotSucceed:
      'its body is an SDP offer: test/edge/surfaces/omni/webrtc.long.test.ts has browsers that make one',
  },
  'GET /widget.js': plain,
  'GET /widget/{version}/widget.js': { good: () => ({ path: { version: 'v11' } }), shared: true },
  'GET /demo': plain,
  'GET /demo/demo.js': plain,
  'GET /demo/demo.css': plain,
  'GET /console': plain,
  'GET /console/assets/{file}': {
    good: async (world) => {
      await builtConsole();
      const { text } = await world.send('/console');
      return { path: { file: /assets\/([\w-]+\.js)/.exec(text)?.[1] as string } };
    },
    shared: true,
  },
  'PATCH /v1/omni/webrtc/{call_id}': needsCall,
  'PUT /v1/omni/webrtc/{call_id}': needsCall,
  'DELETE /v1/omni/webrtc/{call_id}': needsCall,
};
