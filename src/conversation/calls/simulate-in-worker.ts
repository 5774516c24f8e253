import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import { compile } from '../flows/index.ts';
import {
  type SimulatedEvent,
  type Simulation,
  SimulationError,
  type SimulationOptions,
} from './flow-simulation.ts';
import { type Simulated, type SimulationOrder, simulated } from './flow-simulation-thread.ts';

const PROGRAM = compiledProgram(import.meta.url, 'conversation/calls', 'flow-simulation-thread.js');
/** A smaller order is read in less time than its copy to a thread takes. */
const SMALL_CHARACTERS = 20_000;
/** The product of nodes, edges and events. Smaller ones are played in a few milliseconds. */
const SMALL_PRODUCT = 1_000_000;

/** Plays the events against a flow; where that would hold the event loop, on a thread. */
export async function simulateInWorker(
  options: SimulationOptions,
  events: readonly SimulatedEvent[],
  tenant: string,
): Promise<Simulation> {
  const order: SimulationOrder = { options, events };
  const isSmall =
    JSON.stringify(order).length <= SMALL_CHARACTERS &&
    sizeOf(options.flow) * (events.length + 1) <= SMALL_PRODUCT;
  const result = isSmall
    ? await simulated(order)
    : await runInThread<Simulated>(PROGRAM, simulated.name, order, { tenant });
  if ('simulation' in result) return result.simulation;
  throw new SimulationError(result.at, result.message);
}

/** A few characters that use a subflow stand for all of its nodes and edges. */
function sizeOf(flow: SimulationOptions['flow']): number {
  const { nodes, edges, globals } = compile(flow);
  const lists = [...edges.values(), globals];
  return nodes.size * lists.reduce((sum, { length }) => sum + length, 0);
}
