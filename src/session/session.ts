import type { EngineVoice } from '../engine/index.ts';
import { AgentTurn, type TurnFailure } from './agent-turn.ts';
import type { EndReason, SessionOptions, SessionSettings, TurnLatency } from './contract.ts';
import { Conversation } from './conversation.ts';
import { heardTurn } from './heard.ts';
import { IdleWatch } from './idle-watch.ts';
import { Keypad } from './keypad.ts';
import { turnLatency } from './latency.ts';
import { LeftTurns } from './left-turns.ts';
import { Patience } from './patience.ts';
import { SESSION_PHRASES } from './phrases.ts';
import { PlayingTimes } from './playing-times.ts';
import { Speculation } from './speculation.ts';
import type { CallerUtterance, LaneEvent, PlayedSegment } from './voice-lane.ts';

/** How many turns in a row may go without an answer. */
const MAX_FAILED_TURNS = 3;
/** Words of the customer's own that wait to be spoken. */
const MAX_QUEUED = 20;
/** How long the end waits for the lane's account of what was heard. */
const LAST_WORD_MS = 500;

/** One live call: who has the turn, what was said and heard, and how it ends. It owns no socket and no sample. */
export class Session {
  readonly conversation = new Conversation();
  readonly latencies: (TurnLatency & { turnId: number })[] = [];
  readonly failures: { turnId: number; reason: TurnFailure }[] = [];

  readonly #options: SessionOptions;
  readonly #patience: Patience;
  readonly #idle: IdleWatch;
  readonly #keypad: Keypad;
  #settings: SessionSettings;
  #memory: unknown;
  #nextTurn = 0;
  #turn: AgentTurn | null = null;
  readonly #speculation: Speculation;
  /** What the caller said last and whose turn answers it, until that is heard. */
  #asked: { readonly utterance: CallerUtterance; readonly turn: AgentTurn } | null = null;
  readonly #left: LeftTurns;
  /** The consent line, until it was heard whole. */
  #consent: string;
  readonly #playingTimes = new PlayingTimes();
  #nextSpeech = 0;
  #queued: string[] = [];
  /** What the running turn must not hear of: another voice, another language. */
  #changeLane: () => void = () => undefined;
  #failedInRow = 0;
  #ending: EndReason | null = null;
  #ended = false;
  /** Set between the end and its report. */
  #endReason: EndReason | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#consent = options.settings.consentLine.trim();
    this.#left = new LeftTurns(options.clock);
    this.#speculation = new Speculation(({ speech }) => options.lane.discard(speech));
    this.#patience = new Patience({
      clock: options.clock,
      times: options.ladder,
      turn: () => this.#turn,
      language: () => this.#settings.language,
      output: options.output,
      mute: () => this.end('engine_failed'),
    });
    this.#keypad = new Keypad(options.clock, (keys) => this.#takeTurn(keys));
    this.#idle = new IdleWatch(options.clock, (gone) => this.#callerIsIdle(gone), options.idleMs);
  }

  /** Speaks the consent line and the greeting as turn 0. */
  start(): void {
    const { greeting } = this.#settings;
    const lines = greeting.trim() === '' ? [] : [greeting];
    if (lines.length > 0 || this.#consent !== '') this.#sayFixed(lines, { yields: true });
    else this.#nextTurn = 1;
    this.#waitForCaller();
  }

  /** From the next turn on. */
  reconfigure(change: Partial<SessionSettings>, voice: EngineVoice | null): void {
    this.#settings = { ...this.#settings, ...change };
    this.#speculation.discard();
    const { lane } = this.#options;
    const before = this.#changeLane;
    this.#changeLane = () => {
      before();
      if (voice !== null) lane.setVoice(voice);
      if (change.language !== undefined) lane.setLanguage(change.language);
    };
    if (this.#turn === null) this.#turnOver();
  }

  /** Speaks the customer's own words: behind what is being said, or at once. False: too many wait already. */
  say(text: string): boolean {
    if (this.#ended || this.#ending !== null) return true;
    if (this.#queued.length >= MAX_QUEUED) return false;
    this.#speculation.discard();
    if (this.#turn === null) this.#sayFixed([text], { yields: false });
    else this.#queued.push(text);
    return true;
  }

  /** The client wants the agent to stop, whether it speaks already or only thinks of what to say. */
  interrupt(): void {
    if (this.#turn === null || this.#ended) return;
    if (this.#playingTimes.has(this.#turn.speech)) {
      this.#options.lane.cut();
      return;
    }
    this.#queued = [];
    this.#leaveTurn();
    this.#waitForCaller();
  }

  /** Keys pressed by the caller silence the agent at once, and take the turn like words when the last of them has come. */
  dtmf(digits: string, atMs: number): void {
    if (this.#ended || this.#ending !== null) return;
    this.#idle.stop();
    this.#speculation.discard();
    this.#leaveTurn();
    this.#keypad.press(digits, atMs);
  }

  end(reason: EndReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#idle.stop();
    this.#keypad.clear();
    this.#speculation.discard();
    this.#leaveTurn();
    this.#options.desk.close();
    this.#endReason = reason;
    if (this.#left.waiting) this.#options.clock.after(LAST_WORD_MS, () => this.#close());
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
        this.#patience.sounded();
        if (!this.#ended) this.#options.output.audio(event.pcm);
        return;
      case 'speech_start':
        this.#idle.stop();
        return;
      case 'partial':
        this.#transcript('user', this.#nextTurn, event.text, false);
        return;
      case 'eager_end':
        this.#speculate(event);
        return;
      case 'continued':
        this.#speculation.discard();
        return;
      case 'final':
        this.#takeTurn(event);
        return;
      case 'lost':
        this.#askAgain();
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
        if (this.#turn?.speech === event.speech) this.end('engine_failed');
        else this.#speculation.failed(event.speech);
        return;
      case 'engine_failed':
        this.end('engine_failed');
    }
  }

  #speculate(utterance: CallerUtterance): void {
    if (this.#ended || this.#ending !== null || utterance.text === '' || this.#turn !== null) return;
    this.#speculation.begin(utterance, () => this.#newTurn(this.#nextTurn + 1, utterance.text, true));
  }

  #takeTurn(utterance: CallerUtterance): void {
    if (this.#ended || this.#ending !== null) return;
    if (utterance.text.trim() === '') {
      this.#speculation.discard();
      if (this.#turn === null) this.#waitForCaller();
      return;
    }
    this.#idle.answered();
    this.#leaveTurn();
    const turnId = this.#nextTurn++;
    const heard = this.#keypad.before(utterance);
    const { text, startMs, endMs } = heard;
    this.#transcript('user', turnId, text, true);
    this.conversation.user({ turnId, text, startMs, endMs });
    const guessed = this.#speculation.confirm(heard, this.#nextTurn);
    const turn = guessed ?? this.#newTurn(this.#nextTurn, text, false);
    this.#nextTurn++;
    this.#turn = turn;
    this.#asked = { utterance: heard, turn };
    this.#patience.start();
    if (guessed === null) turn.start();
    else this.#accept(guessed);
  }

  /** The caller spoke, and nobody knows what was said: a turn of theirs without words. */
  #askAgain(): void {
    if (this.#ended || this.#ending !== null) return;
    this.#speculation.discard();
    this.#idle.answered();
    this.#leaveTurn();
    this.#asked = null;
    this.#nextTurn++;
    this.#sayFixed([this.#apology(this.#nextTurn, 'recognition_failed')], { yields: true });
  }

  /** It may be done or have failed already, while it was only a guess. */
  #accept(turn: AgentTurn): void {
    turn.accept();
    if (turn.done) this.#turnDone(turn, turn.failure);
  }

  #newTurn(id: number, question: string, held: boolean, yields = false): AgentTurn {
    const { clock, lane, brain, desk, retrieve, owner } = this.#options;
    const { language, persona, seed, temperature } = this.#settings;
    const turn: AgentTurn = new AgentTurn({
      id,
      speech: this.#nextSpeech++,
      clock,
      lane,
      brain,
      desk,
      held,
      yields,
      retrieve: (signal) => retrieve(question, signal),
      request: {
        language,
        persona,
        ...(owner === undefined ? {} : { owner }),
        ...(seed === undefined ? {} : { seed }),
        ...(temperature === undefined ? {} : { temperature }),
      },
      before: () => this.#left.told(),
      context: () => ({
        memory: this.#memory,
        messages: [...this.conversation.messages(id - 1), { role: 'user', content: question }],
      }),
      onToolsRunning: () => this.#patience.stop(),
      onWaiting: () => this.#patience.start(),
      onDone: (failure) => this.#turnDone(turn, failure),
    });
    if (this.#consent !== '') turn.preface(this.#consent);
    return turn;
  }

  /** The brain is done with the turn; what it said may still be playing. A held turn waits to be accepted first. */
  #turnDone(turn: AgentTurn, failure: TurnFailure | null): void {
    if (turn !== this.#turn || this.#ended) return;
    if (failure === null) {
      this.#failedInRow = 0;
      return;
    }
    this.#patience.awaitVoice();
    turn.conclude([this.#apology(turn.id, failure)]);
  }

  /** Counts the failure; the last in a row ends the call with these words. */
  #apology(turnId: number, failure: TurnFailure): string {
    const misheard = failure === 'recognition_failed';
    this.failures.push({ turnId, reason: failure });
    this.#failedInRow++;
    this.#options.output.degraded(turnId, 'apology', failure);
    const phrases = SESSION_PHRASES[this.#settings.language];
    if (this.#failedInRow < MAX_FAILED_TURNS) return misheard ? phrases.notHeard : phrases.apology;
    this.#ending = misheard ? 'engine_failed' : 'brain_unavailable';
    return phrases.farewell;
  }

  #sayFixed(lines: readonly string[], { yields }: { yields: boolean }): void {
    const turn = this.#newTurn(this.#nextTurn++, '', false, yields);
    this.#turn = turn;
    this.#patience.awaitVoice();
    turn.conclude(lines);
  }

  #startedPlaying(speech: number, segment: number, atMs: number): void {
    const turn = this.#turn;
    if (turn === null || turn.speech !== speech) return;
    this.#playingTimes.started(speech, segment, atMs);
    if (!turn.fillers.has(segment)) {
      this.#measure(turn, atMs);
      if (turn.answers(segment)) this.#patience.stop();
    }
    const texts = [...turn.texts].filter(([number]) => number <= segment).map(([, text]) => text);
    this.#transcript('agent', turn.id, texts.join(' '), false);
  }

  #measure(turn: AgentTurn, atMs: number): void {
    // Neither an apology nor what nobody has asked for is an answer.
    if (this.#asked?.turn !== turn || turn.failure !== null) return;
    const latency = turnLatency(this.#asked.utterance, turn, atMs);
    this.#asked = null;
    this.latencies.push({ turnId: turn.id, ...latency });
    this.#options.output.turn(turn.id, latency);
  }

  #finishedPlaying(speech: number, segments: readonly PlayedSegment[]): void {
    const turn = this.#playedTurn(speech);
    if (turn === null) return;
    this.#settle(turn, segments, false);
    if (this.#ended) return;
    if (this.#ending !== null) this.end(this.#ending);
    else if (turn.action === 'end_call') this.end('agent_ended');
    else if (turn.action === 'hand_over') this.end('hand_over');
    else if (this.#turn !== null) return;
    else if (turn.unheard(segments))
      this.#sayFixed([this.#apology(turn.id, 'brain_silent')], { yields: false });
    else this.#sayNext();
  }

  #sayNext(): void {
    const next = this.#queued.shift();
    if (next === undefined) this.#waitForCaller();
    else this.#sayFixed([next], { yields: false });
  }

  #wasCut(
    speech: number,
    reason: 'barge_in' | 'command',
    playedMs: number,
    segments: readonly PlayedSegment[],
  ): void {
    const turn = this.#playedTurn(speech);
    if (turn === null) return;
    // Whether the lane heard it first or the words took the turn: the client throws away what still waits.
    const interrupted = reason === 'barge_in' || this.#left.has(speech);
    turn.drop();
    this.#queued = [];
    this.#settle(turn, segments, true);
    if (this.#ended) return;
    if (interrupted) this.#options.output.bargeIn(turn.id, Math.round(playedMs));
    if (this.#ending !== null) this.end(this.#ending);
    else this.#waitForCaller();
  }

  #playedTurn(speech: number): AgentTurn | null {
    if (this.#turn?.speech === speech) return this.#turn;
    return this.#left.get(speech);
  }

  /** Writes what was heard of a turn into the account of the call; from here on it is the past. */
  #settle(turn: AgentTurn, segments: readonly PlayedSegment[], interrupted: boolean): void {
    this.#forget(turn);
    if (turn.memory !== null) this.#memory = turn.memory.value;
    for (const { step, reason } of turn.troubles) this.#options.output.degraded(turn.id, step, reason);
    const text = heardTurn(turn.texts, segments);
    const times = this.#playingTimes.take(turn.speech, segments);
    const entry = { turnId: turn.id, text, ...times, interrupted };
    this.conversation.agent(entry, turn.rounds);
    if (turn.prefaceWasHeard(segments)) this.#consent = '';
    this.#left.tell();
    if (text !== '') this.#transcript('agent', turn.id, text, true);
    if (this.#endReason !== null && !this.#left.waiting) this.#close();
  }

  #forget(turn: AgentTurn): void {
    this.#left.delete(turn.speech);
    if (this.#turn === turn) this.#turnOver();
  }

  #turnOver(): void {
    this.#turn = null;
    this.#patience.stop();
    this.#changeLane();
    this.#changeLane = () => undefined;
  }

  /** The caller has the turn now, or the call ends. What was heard so far is known when the lane reports the cut. */
  #leaveTurn(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turnOver();
    turn.drop();
    if (this.#playingTimes.has(turn.speech)) {
      this.#left.add(turn);
      this.#options.lane.cut();
    } else {
      this.#options.lane.discard(turn.speech);
      this.#settle(turn, [], true);
    }
  }

  #hearBackchannel(utterance: CallerUtterance): void {
    if (this.#turn === null) this.#waitForCaller();
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
    if (!this.#ended) this.#idle.start();
  }

  #callerIsIdle(gone: boolean): void {
    if (this.#turn !== null || this.#ended) return;
    if (gone) this.end('caller_idle');
    else this.#sayFixed([SESSION_PHRASES[this.#settings.language].stillThere], { yields: true });
  }

  #transcript(role: 'user' | 'agent', turnId: number, text: string, final: boolean): void {
    if (!this.#ended) this.#options.output.transcript({ role, turnId, text, final });
  }
}
