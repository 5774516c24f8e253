import { type Static, Type } from 'typebox';
import { CallAnalyticsQuery } from './analytics.ts';

export const FlowAnalyticsQuery = Type.Object({
  agent_id: Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' }),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only count calls of this version. Defaults to all versions.' }),
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
  calls: Type.Integer({ description: 'Calls that entered a flow.' }),
  nodes: Type.Array(
    Type.Object({
      node: Type.String({ description: 'The ID of the node. A node of a subflow is `node.inner`.' }),
      calls: Type.Integer({ description: 'Calls that reached the node: the sum of `went_on` and `ended`.' }),
      visits: Type.Integer({
        description: 'How often the node was entered; a loop can enter it more than once per call.',
      }),
      went_on: Type.Integer(),
      ended: Type.Integer({ description: 'Calls that ended in this node.' }),
    }),
    { description: 'Sorted by number of calls, highest first.' },
  ),
  edges: Type.Array(
    Type.Object({
      from: Type.String(),
      to: Type.String(),
      left_by: Type.String({ description: 'The condition of the edge, `global`, or `back`.' }),
      calls: Type.Integer(),
    }),
    { description: 'Sorted by number of calls, highest first.' },
  ),
  truncated: Type.Boolean({ description: 'Whether only the newest calls were counted.' }),
});
