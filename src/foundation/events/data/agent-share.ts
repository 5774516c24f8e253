import Type from 'typebox';

/** The fields describe one agent’s part of a call that was handed from agent to agent. */
export const agentShare = {
  agent_id: Type.String(),
  agent_version: Type.String(),
  from_ms: Type.Integer(),
  to_ms: Type.Integer(),
  turns: Type.Integer({ description: 'The number of turns the agent spoke.' }),
  talk_ms: Type.Integer({ description: 'The total time the agent spoke, in milliseconds.' }),
};
