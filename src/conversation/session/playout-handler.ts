import type { AgentTurn } from './agent-turn.ts';
import type { CallerInput } from './caller-input.ts';
import type { EndReason, SessionOutput } from './contract.ts';
import type { Floor } from './floor.ts';
import type { Interlude } from './interlude.ts';
import type { ResponseController } from './response-controller.ts';
import type { SessionState } from './session-state.ts';
import type { CallerUtterance, LaneEvent, PlayedSegment } from './voice-lane.ts';

type Interruption = Extract<LaneEvent, { kind: 'speech_interrupted' }>;

export interface PlayoutHandlerOptions {
  readonly state: SessionState;
  readonly floor: Floor;
  readonly callerInput: CallerInput;
  readonly answering: ResponseController;
  readonly output: SessionOutput;
  readonly end: (reason: EndReason) => void;
  readonly endAsPlanned: () => void;
  readonly goesOn: (turn: AgentTurn, whole: boolean, interrupted: boolean) => boolean;
  readonly begin: (interlude: Interlude) => void;
  readonly answered: (answer: CallerUtterance) => void;
}

export class PlayoutHandler {
  readonly #options: PlayoutHandlerOptions;

  constructor(options: PlayoutHandlerOptions) {
    this.#options = options;
  }

  onPlayed(speech: number, segments: readonly PlayedSegment[]): void {
    const turn = this.#options.floor.turnOf(speech);
    if (turn !== null) this.#settled(turn, segments);
  }

  onWordless(turn: AgentTurn): void {
    this.#settled(turn, []);
  }

  #settled(turn: AgentTurn, segments: readonly PlayedSegment[]): void {
    const { state, floor, answering, begin, goesOn, end } = this.#options;
    const { effect } = turn.tools;
    floor.commitPlayed(turn, segments, false);
    if (state.hasEnded) return;
    if (state.plannedEnd !== null) this.#endAfterFarewell();
    else if (turn.exchange.action === 'end_call') end('agent_ended');
    else if (turn.exchange.action === 'hand_over') this.#handOver(turn);
    else if (floor.turn !== null) return;
    else if (turn.isUnheard(segments)) answering.apologise('brain_silent', { yields: false }, turn);
    else if (goesOn(turn, wasWhole(turn, segments), false)) return;
    else if (effect?.kind === 'interlude') begin(effect.interlude);
    else this.#goOnAfter(turn);
  }

  /** The report of words that the farewell interrupted may come while the farewell is to be heard. */
  #endAfterFarewell(): void {
    if (this.#options.floor.turn === null) this.#options.endAsPlanned();
  }

  #handOver({ exchange: { refused } }: AgentTurn): void {
    const { output, end } = this.#options;
    if (refused?.kind === 'handed_over') output.handedOver?.(refused.rule);
    end('hand_over');
  }

  onInterrupted({ speech, reason, playedMs, segments }: Interruption): void {
    const { state, floor, callerInput: listening, output, goesOn } = this.#options;
    const turn = floor.turnOf(speech);
    if (turn === null) return;
    listening.flushBackchannel();
    // The client must discard buffered audio, whether the lane detected the barge-in or the words interrupted the
    // turn.
    const interrupted = reason === 'barge_in' || floor.isInterrupted(speech);
    turn.drop();
    if (reason === 'barge_in' && turn === floor.turn) floor.speechQueue.clear();
    // Whoever hangs up in the middle of an answer has not interrupted it.
    floor.commitPlayed(turn, segments, reason === 'barge_in' || !state.hasEnded);
    if (state.hasEnded) return;
    if (interrupted) output.bargeIn(turn.id, Math.round(playedMs));
    if (state.plannedEnd !== null) this.#endAfterFarewell();
    else if (!goesOn(turn, false, true)) this.speakNextQueued();
  }

  speakNextQueued(): void {
    const { state, floor, callerInput: listening, answering } = this.#options;
    if (!state.isLive || floor.turn !== null || listening.isBusy) return;
    const next = floor.speechQueue.next();
    if (next === undefined) listening.startIdleTimer();
    else floor.speechQueue.begin(answering.speakFixed([next], { yields: true }).speech, next);
  }

  #goOnAfter(turn: AgentTurn): void {
    const { callerInput: listening, answered } = this.#options;
    const answer = listening.deferredAnswerTo(turn);
    listening.flushBackchannel();
    if (answer === null) this.speakNextQueued();
    else answered(answer);
  }
}

const wasWhole = ({ words }: AgentTurn, segments: readonly PlayedSegment[]): boolean =>
  [...words.texts.keys()].every((number) => {
    const heard = segments.find(({ segment }) => segment === number);
    return heard?.complete === true && heard.playedMs >= heard.totalMs;
  });
