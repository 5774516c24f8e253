/** The worker thread plays a flow whose size would hold the event loop. */
import {
  type SimulatedEvent,
  type Simulation,
  SimulationError,
  type SimulationOptions,
  simulateFlow,
} from './flow-simulation.ts';

export interface SimulationOrder {
  readonly options: SimulationOptions;
  readonly events: readonly SimulatedEvent[];
}

/** An error loses its class on the way from a thread. */
export type Simulated =
  | { readonly simulation: Simulation }
  | { readonly at: number; readonly message: string };

export async function simulated({ options, events }: SimulationOrder): Promise<Simulated> {
  try {
    return { simulation: await simulateFlow(options, events) };
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    return { at: error.at, message: error.message };
  }
}
