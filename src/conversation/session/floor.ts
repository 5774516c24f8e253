import type { AgentTurn } from './agent-turn.ts';
import type { AgentTurns } from './agent-turns.ts';
import type { SessionOptions, SessionOutput } from './contract.ts';
import { InterruptedTurns } from './interrupted-turns.ts';
import { PlayoutTimes } from './playout-times.ts';
import { ResponseLatencies } from './response-latency.ts';
import type { ResponseWatchdog } from './response-watchdog.ts';
import { SpeechQueue } from './speech-queue.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

export interface FloorOptions extends Pick<SessionOptions, 'clock' | 'lane' | 'output'> {
  readonly agent: AgentTurns;
  readonly responseWatchdog: ResponseWatchdog;
  /** The agent's words, as they are heard. */
  readonly transcript: (turnId: number, text: string, final: boolean) => void;
  /** It is known what was heard of a turn. */
  readonly onCommitted: () => void;
}

export interface SpokenSoFar {
  readonly turnId: number;
  /** The one that is heard now; `text` has those before it. */
  readonly segment: number;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The agent's turn: the one that has the floor, and those that have left it while they still sound. */
export class Floor {
  readonly latencies = new ResponseLatencies();
  readonly speechQueue = new SpeechQueue();
  readonly watchdog: ResponseWatchdog;
  readonly #options: FloorOptions;
  readonly #lane: VoiceLane;
  readonly #output: SessionOutput;
  readonly #left: InterruptedTurns;
  readonly #playing = new PlayoutTimes();
  #turn: AgentTurn | null = null;
  /** A change of voice or language waits, because the running turn must keep its own. */
  #changeLane: () => void = () => undefined;

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#lane = options.lane;
    this.#output = options.output;
    this.watchdog = options.responseWatchdog;
    this.#left = new InterruptedTurns(options.clock);
  }

  get turn(): AgentTurn | null {
    return this.#turn;
  }

  /** The lane still tells what was heard of turns that were left. */
  get isAwaitingPlayout(): boolean {
    return this.#left.isWaiting;
  }

  /** Resolves when it is known what was heard of the turn before. */
  whenPlayedReported = (): Promise<void> => this.#left.whenReported();
  isInterrupted = (speech: number): boolean => this.#left.has(speech);

  /** How far the running turn is heard, by whole segments. Null: nobody speaks, or nothing of it was heard yet. */
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

  /** Behind the running turn, or now. */
  changeLaneAfterTurn(lane: () => void): void {
    const before = this.#changeLane;
    this.#changeLane = () => {
      before();
      lane();
    };
    if (this.#turn === null) this.#over();
  }

  /** Stops what is heard of the turn. False: nothing is. */
  stopPlayback(): boolean {
    const turn = this.#turn;
    if (turn === null || !this.#playing.has(turn.speech)) return false;
    turn.drop();
    this.#lane.stopPlayback();
    return true;
  }

  /** The caller has the turn now, or the call ends. What was heard so far is known when the lane reports the cut; words that still wait
   * behind it are dropped, as by any interruption. */
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

  /** The turn of a speech: the one that has the floor, or one that has left it. */
  turnOf(speech: number): AgentTurn | null {
    return this.#turn?.speech === speech ? this.#turn : this.#left.get(speech);
  }

  /** Writes what was heard of a turn into the account of the call; from here on it is the past. */
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
