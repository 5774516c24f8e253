import type { AgentTurn } from './agent-turn.ts';
import type { AgentTurns } from './agent-turns.ts';
import type { SessionOptions, SessionOutput } from './contract.ts';
import { PendingPlayoutReports } from './pending-playout-reports.ts';
import { PlayoutTimes } from './playout-times.ts';
import { ResponseLatencies } from './response-latency.ts';
import type { ResponseWatchdog } from './response-watchdog.ts';
import { SpeechQueue } from './speech-queue.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

export interface FloorOptions extends Pick<SessionOptions, 'clock' | 'lane' | 'output'> {
  readonly agent: AgentTurns;
  readonly responseWatchdog: ResponseWatchdog;
  readonly transcript: (turnId: number, text: string, final: boolean) => void;
  readonly onCommitted: () => void;
}

export interface SpokenSoFar {
  readonly turnId: number;
  readonly segment: number;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

export class Floor {
  readonly latencies = new ResponseLatencies();
  readonly speechQueue = new SpeechQueue();
  readonly watchdog: ResponseWatchdog;
  readonly #options: FloorOptions;
  readonly #lane: VoiceLane;
  readonly #output: SessionOutput;
  readonly #left: PendingPlayoutReports;
  readonly #playing = new PlayoutTimes();
  #turn: AgentTurn | null = null;
  /** A change of voice or language waits, because the running turn must keep its own. */
  #changeLane: () => void = () => undefined;

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#lane = options.lane;
    this.#output = options.output;
    this.watchdog = options.responseWatchdog;
    this.#left = new PendingPlayoutReports(options.clock);
  }

  get turn(): AgentTurn | null {
    return this.#turn;
  }

  get isAwaitingPlayout(): boolean {
    return this.#left.isWaiting;
  }

  whenPlayedReported = (): Promise<void> => this.#left.whenReported();
  isInterrupted = (speech: number): boolean => this.#left.has(speech);

  /** Returns the played part of the running turn in whole segments; null where nothing was played yet. */
  get spoken(): SpokenSoFar | null {
    const turn = this.#turn;
    const latest = turn === null ? null : this.#playing.latest(turn.speech);
    if (turn === null || latest === null) return null;
    const { segment, startMs, atMs } = latest;
    const heard = [...turn.words.texts].filter(([number]) => number < segment).map(([, text]) => text);
    return { turnId: turn.id, segment, text: heard.join(' '), startMs, endMs: atMs };
  }

  giveTo(turn: AgentTurn): void {
    this.#turn = turn;
  }

  changeLaneAfterTurn(lane: () => void): void {
    const before = this.#changeLane;
    this.#changeLane = () => {
      before();
      lane();
    };
    if (this.#turn === null) this.#over();
  }

  stopPlayback(): boolean {
    const turn = this.#turn;
    if (turn === null || !this.#playing.has(turn.speech)) return false;
    turn.drop();
    this.#lane.stopPlayback();
    return true;
  }

  /**
   * The caller takes the turn, or the call ends. The lane reports the played part of a playing turn later, and the
   * customer's queued lines are dropped, as by any interruption. A turn that has not been audible is discarded.
   */
  release(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#over();
    turn.drop();
    if (this.#playing.has(turn.speech)) {
      this.#left.add(turn);
      this.speechQueue.clear();
      this.#lane.stopPlayback();
    } else {
      this.speechQueue.requeue(turn.speech);
      this.#lane.discard(turn.speech);
      this.commitPlayed(turn, [], true);
    }
  }

  startedPlaying(speech: number, segment: number, atMs: number): void {
    const turn = this.#turn;
    if (turn === null || turn.speech !== speech) return;
    this.#playing.started(speech, segment, atMs);
    this.#options.agent.onSegmentPlaying(turn, segment);
    if (!turn.words.fillers.has(segment)) {
      const latency = this.latencies.onFirstAudio(turn, atMs);
      if (latency !== null) this.#output.turn(turn.id, latency);
      if (turn.words.isAnswer(segment)) this.watchdog.awaitContinuation(segment);
    }
    const texts = [...turn.words.texts].filter(([number]) => number <= segment).map(([, text]) => text);
    this.#options.transcript(turn.id, texts.join(' '), false);
  }

  turnOf(speech: number): AgentTurn | null {
    return this.#turn?.speech === speech ? this.#turn : this.#left.get(speech);
  }

  commitPlayed(turn: AgentTurn, segments: readonly PlayedSegment[], interrupted: boolean): void {
    this.#left.delete(turn.speech);
    if (this.#turn === turn) this.#over();
    for (const { step, reason, rule, withheld } of turn.degradations)
      this.#output.degraded(turn.id, step, reason, rule, withheld);
    if (turn.exchange.cost !== null) this.#output.tokensUsed(turn.id, turn.exchange.cost);
    const times = this.#playing.take(turn.speech, segments);
    const text = this.#options.agent.commitPlayed(turn, segments, { ...times, interrupted });
    this.#left.notifyReported();
    if (text !== '') this.#options.transcript(turn.id, text, true);
    this.#output.turnOver?.(turn.id, interrupted);
    this.#options.onCommitted();
  }

  #over(): void {
    this.#turn = null;
    this.watchdog.stop();
    this.#changeLane();
    this.#changeLane = () => undefined;
  }
}
