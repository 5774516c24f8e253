import type { AgentSide } from './agent-side.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { SessionOptions, SessionOutput } from './contract.ts';
import { Latencies } from './latency.ts';
import { LeftTurns } from './left-turns.ts';
import type { Patience } from './patience.ts';
import { PlayingTimes } from './playing-times.ts';
import { Sayings } from './sayings.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

export interface FloorOptions extends Pick<SessionOptions, 'clock' | 'lane' | 'output'> {
  readonly agent: AgentSide;
  readonly patience: Patience;
  /** The agent's words, as they are heard. */
  readonly transcript: (turnId: number, text: string, final: boolean) => void;
  /** It is known what was heard of a turn. */
  readonly settled: () => void;
}

/** The agent's turn: the one that has the floor, and those that have left it while they still sound. */
export class Floor {
  readonly latencies = new Latencies();
  readonly sayings = new Sayings();
  readonly patience: Patience;
  readonly #options: FloorOptions;
  readonly #lane: VoiceLane;
  readonly #output: SessionOutput;
  readonly #left: LeftTurns;
  readonly #playing = new PlayingTimes();
  #turn: AgentTurn | null = null;
  /** What the running turn must not hear of: another voice, another language. */
  #changeLane: () => void = () => undefined;

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#lane = options.lane;
    this.#output = options.output;
    this.patience = options.patience;
    this.#left = new LeftTurns(options.clock);
  }

  get turn(): AgentTurn | null {
    return this.#turn;
  }

  /** The lane still tells what was heard of turns that were left. */
  get isWaiting(): boolean {
    return this.#left.waiting;
  }

  /** Resolves when it is known what was heard of the turn before. */
  told = (): Promise<void> => this.#left.told();
  hasLeft = (speech: number): boolean => this.#left.has(speech);

  give(turn: AgentTurn): void {
    this.#turn = turn;
  }

  /** Behind the running turn, or now. */
  change(lane: () => void): void {
    const before = this.#changeLane;
    this.#changeLane = () => {
      before();
      lane();
    };
    if (this.#turn === null) this.#over();
  }

  /** Stops what is heard of the turn. False: nothing is. */
  silence(): boolean {
    const turn = this.#turn;
    if (turn === null || !this.#playing.has(turn.speech)) return false;
    turn.drop();
    this.#lane.cut();
    return true;
  }

  /** The caller has the turn now, or the call ends. What was heard so far is known when the lane reports the cut; words that still wait
   * behind it are dropped, as by any interruption. */
  leave(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#over();
    turn.drop();
    if (this.#playing.has(turn.speech)) {
      this.#left.add(turn);
      this.sayings.clear();
      this.#lane.cut();
    } else {
      this.sayings.putBack(turn.speech);
      this.#lane.discard(turn.speech);
      this.settle(turn, [], true);
    }
  }

  startedPlaying(speech: number, segment: number, atMs: number): void {
    const turn = this.#turn;
    if (turn === null || turn.speech !== speech) return;
    this.#playing.started(speech, segment, atMs);
    this.#options.agent.playing(turn, segment);
    if (!turn.words.fillers.has(segment)) {
      const latency = this.latencies.heard(turn, atMs);
      if (latency !== null) this.#output.turn(turn.id, latency);
      if (turn.words.answers(segment)) this.patience.awaitRest(segment);
    }
    const texts = [...turn.words.texts].filter(([number]) => number <= segment).map(([, text]) => text);
    this.#options.transcript(turn.id, texts.join(' '), false);
  }

  /** The turn of a speech: the one that has the floor, or one that has left it. */
  of(speech: number): AgentTurn | null {
    return this.#turn?.speech === speech ? this.#turn : this.#left.get(speech);
  }

  /** Writes what was heard of a turn into the account of the call; from here on it is the past. */
  settle(turn: AgentTurn, segments: readonly PlayedSegment[], interrupted: boolean): void {
    this.#left.delete(turn.speech);
    if (this.#turn === turn) this.#over();
    for (const { step, reason, rule, withheld } of turn.troubles)
      this.#output.degraded(turn.id, step, reason, rule, withheld);
    if (turn.asking.cost !== null) this.#output.spent(turn.id, turn.asking.cost);
    const times = this.#playing.take(turn.speech, segments);
    const text = this.#options.agent.settle(turn, segments, { ...times, interrupted });
    this.#left.tell();
    if (text !== '') this.#options.transcript(turn.id, text, true);
    this.#options.settled();
  }

  #over(): void {
    this.#turn = null;
    this.patience.stop();
    this.#changeLane();
    this.#changeLane = () => undefined;
  }
}
