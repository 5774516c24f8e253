import type { Brain, BrainLanguage, Passage } from '../brain/index.ts';
import type { EngineVoice } from '../engine/index.ts';
import type { Clock } from '../platform/clock.ts';
import { AgentTurn, type Trouble, type TurnFailure } from './agent-turn.ts';
import { Conversation } from './conversation.ts';
import { heardTurn } from './heard.ts';
import { Ladder, type LadderTimes, type Rung } from './ladder.ts';
import { SESSION_PHRASES } from './phrases.ts';
import type { ToolDesk } from './tool-desk.ts';
import type { CallerUtterance, LaneEvent, PlayedSegment, VoiceLane } from './voice-lane.ts';

export type EndReason =
  | 'client_ended'
  | 'client_gone'
  | 'agent_ended'
  | 'hand_over'
  | 'caller_idle'
  | 'brain_unavailable'
  | 'engine_failed'
  | 'credential_revoked'
  | 'forbidden'
  | 'cap_reached'
  | 'protocol_violation'
  | 'draining';

export interface TurnLatency {
  readonly endpoint: number;
  readonly asr: number;
  readonly brain: number;
  readonly tts: number;
  readonly total: number;
}

/** Where the session's words and events go; the surface frames them. */
export interface SessionOutput {
  audio(pcm: Uint8Array): void;
  transcript(message: { role: 'user' | 'agent'; turnId: number; text: string; final: boolean }): void;
  bargeIn(turnId: number, playedMs: number): void;
  turn(turnId: number, latency: TurnLatency): void;
  /** Typed reasons of what the caller heard instead of an answer. */
  degraded(
    turnId: number,
    step: Rung | Trouble['step'],
    reason: TurnFailure | Trouble['reason'] | 'brain_slow',
  ): void;
  /** Once, last. */
  ended(reason: EndReason): void;
}

export interface SessionSettings {
  readonly language: BrainLanguage;
  readonly persona: string;
  readonly greeting: string;
  readonly consentLine: string;
  readonly seed?: number;
  readonly temperature?: number;
}

export interface SessionOptions {
  readonly clock: Clock;
  readonly lane: VoiceLane;
  readonly brain: Brain;
  readonly desk: ToolDesk;
  readonly output: SessionOutput;
  readonly retrieve: (query: string, signal: AbortSignal) => Promise<readonly Passage[]>;
  readonly settings: SessionSettings;
  readonly ladder?: LadderTimes;
  readonly idleMs?: number;
}

const IDLE_MS = 20_000;
const MAX_IDLE_PROMPTS = 3;
const MAX_FAILED_TURNS = 3;
/** How long the end waits for the lane's account of what was heard. */
const LAST_WORD_MS = 500;

/** One live call: who has the turn, what was said and heard, and how it ends. It owns no socket and no sample. */
export class Session {
  readonly conversation = new Conversation();
  readonly latencies: (TurnLatency & { turnId: number })[] = [];
  readonly failures: { turnId: number; reason: TurnFailure }[] = [];

  readonly #options: SessionOptions;
  readonly #ladder: Ladder;
  #settings: SessionSettings;
  #memory: unknown;
  #nextTurn = 0;
  #turn: AgentTurn | null = null;
  #speculation: { turn: AgentTurn; utterance: CallerUtterance } | null = null;
  /** What the caller said last, until its answer is heard. */
  #asked: CallerUtterance | null = null;
  /** Turns that were left while they were playing: the lane still tells what was heard of them. */
  readonly #leaving = new Map<number, AgentTurn>();
  /** By speech: when its first sample was played. */
  readonly #playingSince = new Map<number, number>();
  #nextSpeech = 0;
  #queued: string[] = [];
  #failedInRow = 0;
  #idlePrompts = 0;
  #stopIdle: () => void = () => undefined;
  #ending: EndReason | null = null;
  #ended = false;
  /** Set between the end and its report. */
  #endReason: EndReason | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#ladder = new Ladder(options.clock, (rung) => this.#climb(rung), options.ladder);
  }

  /** Speaks the consent line and the greeting as turn 0. */
  start(): void {
    const { consentLine, greeting } = this.#settings;
    const lines = [consentLine, greeting].filter((line) => line.trim() !== '');
    if (lines.length > 0) this.#sayFixed(lines);
    else this.#nextTurn = 1;
    this.#waitForCaller();
  }

  /** From the next turn on. */
  reconfigure(change: Partial<SessionSettings>, voice: EngineVoice | null): void {
    if (voice !== null) this.#options.lane.setVoice(voice);
    if (change.language !== undefined) this.#options.lane.setLanguage(change.language);
    this.#settings = { ...this.#settings, ...change };
    this.#discardSpeculation();
  }

  /** Speaks the customer's own words: behind what is being said, or at once. */
  say(text: string): void {
    if (this.#ended || this.#ending !== null) return;
    this.#discardSpeculation();
    if (this.#turn === null) this.#sayFixed([text]);
    else this.#queued.push(text);
  }

  interrupt(): void {
    this.#options.lane.cut();
  }

  /** Keys pressed by the caller take the turn like words. */
  dtmf(digits: string, atMs: number): void {
    const utterance = {
      utterance: -1,
      text: `(keypad) ${digits}`,
      startMs: atMs,
      endMs: atMs,
      atMs,
      asrMs: 0,
    };
    this.#takeTurn(utterance);
  }

  end(reason: EndReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopIdle();
    this.#discardSpeculation();
    this.#leaveTurn();
    this.#options.desk.close();
    this.#endReason = reason;
    if (this.#leaving.size > 0) this.#options.clock.after(LAST_WORD_MS, () => this.#close());
    else this.#close();
  }

  #close(): void {
    const reason = this.#endReason;
    if (reason === null) return;
    this.#endReason = null;
    this.#options.lane.close();
    this.#options.output.ended(reason);
  }

  /** After `end` only what the cut still reports is taken in. */
  take(event: LaneEvent): void {
    switch (event.kind) {
      case 'audio':
        if (!this.#ended) this.#options.output.audio(event.pcm);
        return;
      case 'speech_start':
        this.#stopIdle();
        return;
      case 'partial':
        this.#transcript('user', this.#nextTurn, event.text, false);
        return;
      case 'eager_end':
        this.#speculate(event);
        return;
      case 'continued':
        this.#discardSpeculation();
        return;
      case 'final':
        this.#takeTurn(event);
        return;
      case 'backchannel':
        this.#hearBackchannel(event);
        return;
      case 'playing':
        this.#startedPlaying(event.speech, event.segment, event.atMs);
        return;
      case 'speech_played':
        this.#finishedPlaying(event.speech, event.segments);
        return;
      case 'cut':
        this.#wasCut(event.speech, event.reason, event.playedMs, event.segments);
        return;
      case 'speech_failed':
        this.#failTurn('speech_failed');
        return;
      case 'engine_failed':
        this.end('engine_failed');
    }
  }

  #speculate(utterance: CallerUtterance): void {
    if (this.#ended || this.#ending !== null || utterance.text === '' || this.#turn !== null) return;
    if (this.#speculation?.utterance.text === utterance.text) return;
    this.#discardSpeculation();
    const turn = this.#newTurn(this.#nextTurn + 1, utterance.text, true);
    this.#speculation = { turn, utterance };
    turn.start();
  }

  #discardSpeculation(): void {
    const speculation = this.#speculation;
    if (speculation === null) return;
    this.#speculation = null;
    speculation.turn.drop();
    this.#options.lane.discard(speculation.turn.speech);
  }

  #takeTurn(utterance: CallerUtterance): void {
    if (this.#ended || this.#ending !== null) return;
    if (utterance.text.trim() === '') {
      this.#discardSpeculation();
      return;
    }
    this.#stopIdle();
    this.#idlePrompts = 0;
    this.#leaveTurn();
    const turnId = this.#nextTurn++;
    const { text, startMs, endMs } = utterance;
    this.#transcript('user', turnId, text, true);
    const speculation = this.#speculation;
    this.#asked = utterance;
    if (
      speculation !== null &&
      speculation.utterance.text === text &&
      speculation.turn.id === this.#nextTurn
    ) {
      this.#speculation = null;
      this.conversation.user({ turnId, text, startMs, endMs });
      this.#turn = speculation.turn;
      this.#nextTurn++;
      this.#ladder.start();
      this.#turn.accept();
      if (this.#turn.failure !== null) this.#turnDone(this.#turn, this.#turn.failure);
      return;
    }
    this.#discardSpeculation();
    this.#turn = this.#newTurn(this.#nextTurn++, text, false);
    this.conversation.user({ turnId, text, startMs, endMs });
    this.#ladder.start();
    this.#turn.start();
  }

  #newTurn(id: number, question: string, held: boolean): AgentTurn {
    const { clock, lane, brain, desk, retrieve } = this.#options;
    const { language, persona, seed, temperature } = this.#settings;
    const turn: AgentTurn = new AgentTurn({
      id,
      speech: this.#nextSpeech++,
      clock,
      lane,
      brain,
      desk,
      held,
      retrieve: (signal) => retrieve(question, signal),
      request: {
        language,
        persona,
        memory: this.#memory,
        ...(seed === undefined ? {} : { seed }),
        ...(temperature === undefined ? {} : { temperature }),
      },
      messages: [...this.conversation.messages, { role: 'user', content: question }],
      onToolsRunning: () => this.#ladder.stop(),
      onWaiting: () => this.#ladder.start(),
      onDone: (failure) => this.#turnDone(turn, failure),
    });
    return turn;
  }

  /** The brain is done with the turn; what it said may still be playing. A held turn waits to be accepted first. */
  #turnDone(turn: AgentTurn, failure: TurnFailure | null): void {
    if (turn !== this.#turn || this.#ended) return;
    if (failure === null) {
      this.#failedInRow = 0;
      return;
    }
    this.#ladder.stop();
    this.failures.push({ turnId: turn.id, reason: failure });
    this.#failedInRow++;
    this.#options.output.degraded(turn.id, 'apology', failure);
    const phrases = SESSION_PHRASES[this.#settings.language];
    const last = this.#failedInRow >= MAX_FAILED_TURNS;
    if (last) this.#ending = 'brain_unavailable';
    turn.conclude([last ? phrases.farewell : phrases.apology]);
  }

  #failTurn(failure: TurnFailure): void {
    if (this.#turn === null) return;
    if (failure === 'speech_failed') this.end('engine_failed');
    else this.#turn.giveUp(failure);
  }

  #climb(rung: Rung): void {
    const turn = this.#turn;
    if (turn === null || turn.answered) return;
    if (rung === 'apology') {
      turn.giveUp('brain_timeout');
      return;
    }
    this.#options.output.degraded(turn.id, rung, 'brain_slow');
    if (rung === 'filler') turn.filler(SESSION_PHRASES[this.#settings.language].filler);
    else turn.retry();
  }

  #sayFixed(lines: readonly string[]): void {
    const turn = this.#newTurn(this.#nextTurn++, '', false);
    this.#turn = turn;
    turn.conclude(lines);
  }

  #startedPlaying(speech: number, segment: number, atMs: number): void {
    const turn = this.#turn;
    if (turn === null || turn.speech !== speech) return;
    if (!this.#playingSince.has(speech)) {
      this.#playingSince.set(speech, atMs);
      this.#measure(turn, atMs);
    }
    if (!turn.fillers.has(segment)) this.#ladder.stop();
    const texts = [...turn.texts].filter(([number]) => number <= segment).map(([, text]) => text);
    this.#transcript('agent', turn.id, texts.join(' '), false);
  }

  #measure(turn: AgentTurn, atMs: number): void {
    const asked = this.#asked;
    this.#asked = null;
    if (asked === null) return;
    const total = Math.max(0, Math.round(atMs - asked.endMs));
    const endpoint = Math.round(asked.atMs - asked.endMs);
    const asr = Math.round(asked.asrMs);
    // What is left of the whole is the brain's and the voice's share; speculation may have hidden both.
    const rest = Math.max(0, total - endpoint - asr);
    const thinking = (turn.firstSegmentAt ?? turn.askedAt) - turn.askedAt;
    const brain = Math.min(rest, Math.max(0, Math.round(thinking)));
    const latency = { endpoint, asr, brain, tts: rest - brain, total };
    this.latencies.push({ turnId: turn.id, ...latency });
    this.#options.output.turn(turn.id, latency);
  }

  #finishedPlaying(speech: number, segments: readonly PlayedSegment[]): void {
    const turn = this.#playedTurn(speech);
    if (turn === null) return;
    this.#settle(turn, segments, false);
    if (this.#ended) return;
    const next = this.#queued.shift();
    if (this.#ending !== null) this.end(this.#ending);
    else if (turn.action === 'end_call') this.end('agent_ended');
    else if (turn.action === 'hand_over') this.end('hand_over');
    else if (next !== undefined && this.#turn === null) this.#sayFixed([next]);
    else this.#waitForCaller();
  }

  #wasCut(
    speech: number,
    reason: 'barge_in' | 'command',
    playedMs: number,
    segments: readonly PlayedSegment[],
  ): void {
    const turn = this.#playedTurn(speech);
    if (turn === null) return;
    turn.drop();
    this.#queued = [];
    this.#settle(turn, segments, true);
    if (this.#ended) return;
    if (reason === 'barge_in') this.#options.output.bargeIn(turn.id, Math.round(playedMs));
    if (this.#ending !== null) this.end(this.#ending);
    else this.#waitForCaller();
  }

  #playedTurn(speech: number): AgentTurn | null {
    if (this.#turn?.speech === speech) return this.#turn;
    return this.#leaving.get(speech) ?? null;
  }

  /** Writes what was heard of a turn into the account of the call; from here on it is the past. */
  #settle(turn: AgentTurn, segments: readonly PlayedSegment[], interrupted: boolean): void {
    this.#forget(turn);
    if (turn.memory !== null) this.#memory = turn.memory.value;
    for (const { step, reason } of turn.troubles) this.#options.output.degraded(turn.id, step, reason);
    const text = heardTurn(turn.texts, segments);
    const startMs = this.#playingSince.get(turn.speech) ?? 0;
    this.#playingSince.delete(turn.speech);
    const playedMs = segments.reduce((sum, segment) => sum + segment.playedMs, 0);
    const entry = { turnId: turn.id, text, startMs, endMs: startMs + playedMs, interrupted };
    this.conversation.agent(entry, turn.rounds);
    if (text !== '') this.#transcript('agent', turn.id, text, true);
    if (this.#endReason !== null && this.#leaving.size === 0) this.#close();
  }

  #forget(turn: AgentTurn): void {
    this.#leaving.delete(turn.speech);
    if (this.#turn !== turn) return;
    this.#turn = null;
    this.#ladder.stop();
  }

  /** The caller has the turn now, or the call ends. What was heard so far is known when the lane reports the cut. */
  #leaveTurn(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turn = null;
    this.#ladder.stop();
    turn.drop();
    if (this.#playingSince.has(turn.speech)) {
      this.#leaving.set(turn.speech, turn);
      this.#options.lane.cut();
    } else {
      this.#options.lane.discard(turn.speech);
      this.#settle(turn, [], true);
    }
  }

  #hearBackchannel(utterance: CallerUtterance): void {
    if (utterance.text === '') return;
    const turnId = this.#turn?.id ?? this.#nextTurn;
    this.conversation.backchannel({
      turnId,
      text: utterance.text,
      startMs: utterance.startMs,
      endMs: utterance.endMs,
    });
    this.#transcript('user', turnId, utterance.text, true);
  }

  #waitForCaller(): void {
    this.#stopIdle();
    if (this.#ended) return;
    this.#stopIdle = this.#options.clock.after(this.#options.idleMs ?? IDLE_MS, () => this.#callerIsIdle());
  }

  #callerIsIdle(): void {
    if (this.#turn !== null || this.#ended) return;
    if (this.#idlePrompts >= MAX_IDLE_PROMPTS) {
      this.end('caller_idle');
      return;
    }
    this.#idlePrompts++;
    this.#sayFixed([SESSION_PHRASES[this.#settings.language].stillThere]);
  }

  #transcript(role: 'user' | 'agent', turnId: number, text: string, final: boolean): void {
    if (!this.#ended) this.#options.output.transcript({ role, turnId, text, final });
  }
}
