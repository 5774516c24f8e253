import { compile, FlowEngine } from '../flows/index.ts';
import type { AgentFields } from './fields.ts';

/**
 * Returns the names of the tools that an agent may use where it writes: a flow leads calls alone, so that what stands
 * behind one of its required steps is not offered there. Null: the agent has no flow, and may use all of its tools.
 */
export const toolsInWriting = ({ flow }: Pick<AgentFields, 'flow'>): ReadonlySet<string> | null =>
  flow === null ? null : new FlowEngine(compile(flow)).freeTools();
