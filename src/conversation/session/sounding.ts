import type { AgentTurn } from './agent-turn.ts';
import type { Answering } from './answering.ts';
import type { EndReason, SessionOutput } from './contract.ts';
import type { Floor } from './floor.ts';
import type { Interlude } from './interlude.ts';
import type { Life } from './life.ts';
import type { Listening } from './listening.ts';
import type { CallerUtterance, LaneEvent, PlayedSegment } from './voice-lane.ts';

type Cut = Extract<LaneEvent, { kind: 'cut' }>;

export interface SoundingOptions {
  readonly life: Life;
  readonly floor: Floor;
  readonly listening: Listening;
  readonly answering: Answering;
  readonly output: SessionOutput;
  readonly end: (reason: EndReason) => void;
  /** The call ends as it was decided behind its last words. */
  readonly endAsDecided: () => void;
  /** The engine leads the talk for a while. */
  readonly begin: (interlude: Interlude) => void;
  /** What the caller said in the last words of a question was its answer. */
  readonly answered: (answer: CallerUtterance) => void;
}

/** What follows when the lane has told how much was heard of a turn. */
export class Sounding {
  readonly #options: SoundingOptions;

  constructor(options: SoundingOptions) {
    this.#options = options;
  }

  finished(speech: number, segments: readonly PlayedSegment[]): void {
    const turn = this.#options.floor.of(speech);
    if (turn !== null) this.#settled(turn, segments);
  }

  /** A turn that has nothing to say is over at once. */
  wordless(turn: AgentTurn): void {
    this.#settled(turn, []);
  }

  #settled(turn: AgentTurn, segments: readonly PlayedSegment[]): void {
    const { life, floor, answering, begin, end, endAsDecided } = this.#options;
    const { effect } = turn.tools;
    floor.settle(turn, segments, false);
    if (life.hasEnded) return;
    if (life.decided !== null) endAsDecided();
    else if (turn.asking.action === 'end_call') end('agent_ended');
    else if (turn.asking.action === 'hand_over') this.#handOver(turn);
    else if (floor.turn !== null) return;
    else if (effect?.kind === 'interlude') begin(effect.interlude);
    else if (turn.unheard(segments)) answering.apologise('brain_silent', { yields: false }, turn);
    else this.#goOnAfter(turn);
  }

  #handOver({ asking: { refused } }: AgentTurn): void {
    const { output, end } = this.#options;
    if (refused?.kind === 'handed_over') output.handedOver?.(refused.rule);
    end('hand_over');
  }

  cut({ speech, reason, playedMs, segments }: Cut): void {
    const { life, floor, listening, output, endAsDecided } = this.#options;
    const turn = floor.of(speech);
    if (turn === null) return;
    listening.tell();
    // Whether the lane heard it first or the words took the turn: the client throws away what still waits.
    const interrupted = reason === 'barge_in' || floor.hasLeft(speech);
    turn.drop();
    if (reason === 'barge_in' && turn === floor.turn) floor.sayings.clear();
    floor.settle(turn, segments, true);
    if (life.hasEnded) return;
    if (interrupted) output.bargeIn(turn.id, Math.round(playedMs));
    if (life.decided !== null) endAsDecided();
    else this.sayNext();
  }

  /** What the customer wants to be said, as soon as nobody speaks. */
  sayNext(): void {
    const { life, floor, listening, answering } = this.#options;
    if (!life.isLive || floor.turn !== null || listening.isBusy) return;
    const next = floor.sayings.next();
    if (next === undefined) listening.wait();
    else floor.sayings.begin(answering.sayFixed([next], { yields: true }).speech, next);
  }

  #goOnAfter(turn: AgentTurn): void {
    const { listening, answered } = this.#options;
    const answer = listening.answerTo(turn);
    listening.tell();
    if (answer === null) this.sayNext();
    else answered(answer);
  }
}
