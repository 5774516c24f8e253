import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import {
  type SimulatedEvent,
  type Simulation,
  SimulationError,
  type SimulationOptions,
} from './flow-simulation.ts';
import { type Simulated, type SimulationOrder, simulated } from './flow-simulation-thread.ts';

const PROGRAM = compiledProgram(import.meta.url, 'conversation/calls', 'flow-simulation-thread.js');
/** A smaller flow is played in a few milliseconds, which is less than the dispatch to a thread costs. */
const SMALL_CHARACTERS = 20_000;

/** Plays the events against a flow; a large one on a thread. */
export async function simulateInWorker(
  options: SimulationOptions,
  events: readonly SimulatedEvent[],
  tenant: string,
): Promise<Simulation> {
  const order: SimulationOrder = { options, events };
  const isSmall = JSON.stringify(order).length <= SMALL_CHARACTERS;
  const result = isSmall
    ? await simulated(order)
    : await runInThread<Simulated>(PROGRAM, simulated.name, order, { tenant });
  if ('simulation' in result) return result.simulation;
  throw new SimulationError(result.at, result.message);
}
