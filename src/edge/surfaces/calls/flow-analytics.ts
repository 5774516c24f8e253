import { type Static, Type } from 'typebox';
import { CallAnalyticsQuery } from './analytics.ts';

export const FlowAnalyticsQuery = Type.Object({
  agent_id: Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' }),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'calls of this version alone; of every version unless said' }),
  ),
  from: CallAnalyticsQuery.properties.from,
  to: CallAnalyticsQuery.properties.to,
});
export type FlowAnalyticsQuery = Static<typeof FlowAnalyticsQuery>;

export const FlowAnalyticsView = Type.Object({
  object: Type.Literal('flow_analytics'),
  agent_id: Type.String(),
  version: Type.Union([Type.Integer(), Type.Null()]),
  from: Type.Integer(),
  to: Type.Integer(),
  calls: Type.Integer({ description: 'calls that went through a flow' }),
  nodes: Type.Array(
    Type.Object({
      node: Type.String({ description: 'a node of a subflow is `node.inner`' }),
      calls: Type.Integer({ description: 'calls that reached it: the sum of `went_on` and `ended`' }),
      visits: Type.Integer({ description: 'how often it was entered; a loop enters it again' }),
      went_on: Type.Integer(),
      ended: Type.Integer({ description: 'calls whose path ends here' }),
    }),
    { description: 'the most reached first' },
  ),
  edges: Type.Array(
    Type.Object({
      from: Type.String(),
      to: Type.String(),
      left_by: Type.String({ description: 'the condition of the edge, `global` or `back`' }),
      calls: Type.Integer(),
    }),
    { description: 'the most taken first' },
  ),
  truncated: Type.Boolean({ description: 'only the newest of the calls were counted' }),
});
