import type { EngineVoice } from '../engine/index.ts';
import { AgentSide, type TurnKind } from './agent-side.ts';
import type { AgentTurn, TurnFailure } from './agent-turn.ts';
import type { EndReason, SessionOptions, SessionSettings } from './contract.ts';
import type { Conversation } from './conversation.ts';
import { asks, EarlyAnswer } from './early-answer.ts';
import { IdleWatch } from './idle-watch.ts';
import { Keypad } from './keypad.ts';
import { LastWords } from './last-words.ts';
import { Latencies } from './latency.ts';
import { LeftTurns } from './left-turns.ts';
import { Patience } from './patience.ts';
import { SESSION_PHRASES } from './phrases.ts';
import { PlayingTimes } from './playing-times.ts';
import { Sayings } from './sayings.ts';
import { Speculation } from './speculation.ts';
import { TurnNumbers } from './turn-numbers.ts';
import { Unanswered } from './unanswered.ts';
import type { CallerUtterance, LaneEvent, PlayedSegment } from './voice-lane.ts';

/** How long the end waits for the lane's account of what was heard. */
const LAST_WORD_MS = 500;
/** Whoever hangs up while the agent takes its leave does not end the call: that is decided. */
const HANGS_UP: ReadonlySet<EndReason> = new Set(['client_ended', 'client_gone']);

/** One live call: who has the turn, what was said and heard, and how it ends. It owns no socket and no sample. */
export class Session {
  readonly #options: SessionOptions;
  readonly #agent: AgentSide;
  readonly #patience: Patience;
  readonly #idle: IdleWatch;
  readonly #keypad: Keypad;
  #settings: SessionSettings;
  readonly #numbers = new TurnNumbers();
  #turn: AgentTurn | null = null;
  readonly #speculation: Speculation;
  readonly #latencies = new Latencies();
  readonly #unanswered: Unanswered;
  readonly #sayings = new Sayings();
  readonly #early: EarlyAnswer;
  readonly #lastWords: LastWords;
  #callerSpeaks = false;
  readonly #left: LeftTurns;
  readonly #playingTimes = new PlayingTimes();
  /** What the running turn must not hear of: another voice, another language. */
  #changeLane: () => void = () => undefined;
  /** How the call ends once the last words are spoken. */
  #ending: Promise<EndReason> | null = null;
  #ended = false;
  /** Set between the end and its report. */
  #endReason: EndReason | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#left = new LeftTurns(options.clock);
    this.#early = new EarlyAnswer(options.clock);
    this.#lastWords = new LastWords(options.clock);
    this.#agent = new AgentSide(options, {
      before: () => this.#left.told(),
      onToolsRunning: () => this.#patience.stop(),
      onWaiting: () => this.#patience.start(),
      onDone: (turn, failure) => this.#turnDone(turn, failure),
    });
    this.#speculation = new Speculation(({ speech }) => options.lane.discard(speech));
    this.#patience = new Patience({
      clock: options.clock,
      times: options.ladder,
      turn: () => this.#turn,
      language: () => this.#settings.language,
      output: options.output,
      callerSpeaks: () => this.#callerSpeaks,
      mute: () => this.end('engine_failed'),
    });
    this.#unanswered = new Unanswered({
      clock: options.clock,
      brain: options.brain,
      language: () => this.#settings.language,
      ...(options.owner === undefined ? {} : { owner: options.owner }),
    });
    this.#keypad = new Keypad(options.clock, (keys) => this.#takeTurn(keys));
    this.#idle = new IdleWatch(options.clock, (gone) => this.#callerIsIdle(gone), options.idleMs);
  }

  get conversation(): Conversation {
    return this.#agent.conversation;
  }

  get latencies(): Latencies['list'] {
    return this.#latencies.list;
  }

  get failures(): Unanswered['list'] {
    return this.#unanswered.list;
  }

  /** Speaks the consent line and the greeting as turn 0. */
  start(): void {
    const { greeting } = this.#settings;
    const lines = greeting.trim() === '' ? [] : [greeting];
    if (lines.length > 0 || this.#agent.consentIsDue) this.#sayFixed(lines, { yields: true });
    else this.#numbers.take();
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

  /** Speaks the customer's own words: behind what is being said and what the caller says, or at once. False: too many wait already. */
  say(text: string, { interrupt = false } = {}): boolean {
    if (this.#ended || this.#ending !== null) return true;
    if (interrupt) {
      this.#speculation.discard();
      this.#leaveTurn();
      this.#sayings.clear();
      this.#sayFixed([text], { yields: false });
      return true;
    }
    if (!this.#sayings.add(text)) return false;
    this.#sayNext();
    return true;
  }

  /** The client wants the agent to stop, whether it speaks already or only thinks of what to say. */
  interrupt(): void {
    if (this.#ended) return;
    this.#sayings.clear();
    if (this.#turn === null) return;
    if (this.#playingTimes.has(this.#turn.speech)) {
      this.#turn.drop();
      this.#options.lane.cut();
      return;
    }
    this.#leaveTurn();
    this.#sayings.clear();
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
    if (this.#ending === null || !HANGS_UP.has(reason)) this.#end(reason);
    else this.#endAsDecided();
  }

  #endAsDecided(): void {
    void this.#ending?.then((reason) => this.#end(reason));
  }

  #end(reason: EndReason): void {
    if (this.#ended) return;
    this.#tellListening();
    this.#noteLastWords();
    this.#ended = true;
    this.#idle.stop();
    this.#speculation.discard();
    this.#leaveTurn();
    this.#options.desk.close();
    this.#endReason = reason;
    if (this.#left.waiting) this.#options.clock.after(LAST_WORD_MS, () => this.#close());
    else this.#close();
  }

  #noteLastWords(): void {
    const words = this.#lastWords.take();
    const last = words === null ? this.#keypad.clear() : this.#keypad.before(words);
    if (last === null) return;
    const turnId = this.#numbers.callerIsDone();
    const { text, startMs, endMs } = last;
    this.conversation.backchannel({ turnId, text, startMs, endMs });
    this.#transcript('user', turnId, text, true);
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
        this.#callerSpeaks = true;
        this.#lastWords.began(event.atMs);
        this.#idle.stop();
        return;
      case 'partial':
        this.#lastWords.heard(event.text);
        this.#transcript('user', this.#numbers.ofCaller(), event.text, false);
        return;
      case 'eager_end':
        this.#lastWords.guessed(event);
        this.#speculate(event);
        return;
      case 'continued':
        this.#speculation.discard();
        return;
      case 'final':
        this.#callerIsDone();
        this.#takeTurn(event);
        return;
      case 'lost':
        this.#callerIsDone();
        this.#askAgain();
        return;
      case 'backchannel':
        this.#callerIsDone();
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

  #callerIsDone(): void {
    this.#callerSpeaks = false;
    this.#lastWords.done();
  }

  #speculate(utterance: CallerUtterance): void {
    if (this.#ended || this.#ending !== null || utterance.text === '' || this.#turn !== null) return;
    this.#speculation.begin(utterance, () => {
      const question = { turnId: this.#numbers.ofCaller(), text: utterance.text };
      return this.#newTurn(this.#numbers.ofAnswer(), { question, held: true });
    });
  }

  #takeTurn(utterance: CallerUtterance): void {
    if (this.#ended || this.#ending !== null) return;
    this.#tellListening();
    if (utterance.text.trim() === '') {
      this.#speculation.discard();
      this.#callerHadNoTurn();
      return;
    }
    this.#idle.answered();
    this.#leaveTurn();
    const heard = this.#keypad.before(utterance);
    const { text, startMs, endMs } = heard;
    const turnId = this.#numbers.callerIsDone();
    this.#transcript('user', turnId, text, true);
    this.conversation.user({ turnId, text, startMs, endMs });
    const id = this.#numbers.take();
    const guessed = this.#speculation.confirm(heard, id);
    const turn = guessed ?? this.#newTurn(id, { question: { turnId, text } });
    this.#turn = turn;
    this.#latencies.asked(heard, turn);
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
    this.#latencies.lost();
    this.#numbers.callerIsDone();
    this.#sayFixed((id) => [this.#apology(id, 'recognition_failed')], { yields: true });
  }

  /** What seemed to be one came to nothing: whoever has waited for its end goes on. */
  #callerHadNoTurn(): void {
    this.#numbers.callerHadNone();
    this.#sayNext();
  }

  /** It may be done or have failed already, while it was only a guess. */
  #accept(turn: AgentTurn): void {
    turn.accept();
    if (turn.done) this.#turnDone(turn, turn.failure);
  }

  #newTurn = (id: number, kind: TurnKind): AgentTurn => this.#agent.newTurn(id, this.#settings, kind);

  /** The brain is done with the turn; what it said may still be playing. A held turn waits to be accepted first. */
  #turnDone(turn: AgentTurn, failure: TurnFailure | null): void {
    if (turn !== this.#turn || this.#ended) return;
    if (failure === null) {
      this.#unanswered.answered();
      return;
    }
    this.#patience.awaitVoice();
    turn.conclude([this.#apology(turn.id, failure)]);
  }

  /** Counts the failure; the last in a row ends the call with these words. */
  #apology(turnId: number, failure: TurnFailure): string {
    this.#options.output.degraded(turnId, 'apology', failure);
    this.#ending = this.#unanswered.add(turnId, failure);
    const { apology, notHeard, farewell } = SESSION_PHRASES[this.#settings.language];
    if (this.#ending !== null) return farewell;
    return failure === 'recognition_failed' ? notHeard : apology;
  }

  #sayFixed(lines: readonly string[] | ((id: number) => readonly string[]), kind: TurnKind): AgentTurn {
    const turn = this.#newTurn(this.#numbers.take(), kind);
    this.#turn = turn;
    this.#patience.awaitVoice();
    turn.conclude(typeof lines === 'function' ? lines(turn.id) : lines);
    return turn;
  }

  #startedPlaying(speech: number, segment: number, atMs: number): void {
    const turn = this.#turn;
    if (turn === null || turn.speech !== speech) return;
    this.#playingTimes.started(speech, segment, atMs);
    if (!turn.fillers.has(segment)) {
      const latency = this.#latencies.heard(turn, atMs);
      if (latency !== null) this.#options.output.turn(turn.id, latency);
      if (turn.answers(segment)) this.#patience.awaitRest(segment);
    }
    const texts = [...turn.texts].filter(([number]) => number <= segment).map(([, text]) => text);
    this.#transcript('agent', turn.id, texts.join(' '), false);
  }

  #finishedPlaying(speech: number, segments: readonly PlayedSegment[]): void {
    const turn = this.#playedTurn(speech);
    if (turn === null) return;
    this.#settle(turn, segments, false);
    if (this.#ended) return;
    if (this.#ending !== null) this.#endAsDecided();
    else if (turn.action === 'end_call') this.end('agent_ended');
    else if (turn.action === 'hand_over') this.end('hand_over');
    else if (this.#turn !== null) return;
    else if (turn.unheard(segments))
      this.#sayFixed([this.#apology(turn.id, 'brain_silent')], { yields: false });
    else this.#goOnAfter(turn);
  }

  #goOnAfter(turn: AgentTurn): void {
    const answer = this.#early.answerTo(turn);
    this.#tellListening();
    if (answer === null) this.#sayNext();
    else this.#takeTurn(answer);
  }

  /** What the customer wants to be said, as soon as nobody speaks. */
  #sayNext(): void {
    const over = this.#ended || this.#ending !== null;
    if (over || this.#turn !== null || this.#callerSpeaks || this.#keypad.waits) return;
    const next = this.#sayings.next();
    if (next === undefined) this.#waitForCaller();
    else this.#sayings.begin(this.#sayFixed([next], { yields: true }).speech, next);
  }

  #wasCut(
    speech: number,
    reason: 'barge_in' | 'command',
    playedMs: number,
    segments: readonly PlayedSegment[],
  ): void {
    const turn = this.#playedTurn(speech);
    if (turn === null) return;
    this.#tellListening();
    // Whether the lane heard it first or the words took the turn: the client throws away what still waits.
    const interrupted = reason === 'barge_in' || this.#left.has(speech);
    turn.drop();
    if (reason === 'barge_in' && turn === this.#turn) this.#sayings.clear();
    this.#settle(turn, segments, true);
    if (this.#ended) return;
    if (interrupted) this.#options.output.bargeIn(turn.id, Math.round(playedMs));
    if (this.#ending !== null) this.#endAsDecided();
    else this.#sayNext();
  }

  #playedTurn(speech: number): AgentTurn | null {
    if (this.#turn?.speech === speech) return this.#turn;
    return this.#left.get(speech);
  }

  /** Writes what was heard of a turn into the account of the call; from here on it is the past. */
  #settle(turn: AgentTurn, segments: readonly PlayedSegment[], interrupted: boolean): void {
    this.#forget(turn);
    for (const { step, reason } of turn.troubles) this.#options.output.degraded(turn.id, step, reason);
    const times = this.#playingTimes.take(turn.speech, segments);
    const text = this.#agent.settle(turn, segments, { ...times, interrupted });
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

  /** The caller has the turn now, or the call ends. What was heard so far is known when the lane reports the cut; words that still wait
   * behind it are dropped, as by any interruption. */
  #leaveTurn(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turnOver();
    turn.drop();
    if (this.#playingTimes.has(turn.speech)) {
      this.#left.add(turn);
      this.#sayings.clear();
      this.#options.lane.cut();
    } else {
      this.#sayings.putBack(turn.speech);
      this.#options.lane.discard(turn.speech);
      this.#settle(turn, [], true);
    }
  }

  #hearBackchannel(utterance: CallerUtterance): void {
    this.#tellListening();
    const turn = this.#turn;
    if (utterance.text !== '' && this.#ending === null && !this.#ended) {
      if (turn !== null && this.#early.keep(utterance, turn)) return;
      if (turn === null && this.#agentHasAsked) {
        this.#takeTurn(utterance);
        return;
      }
    }
    this.#noteListening(utterance, turn?.id ?? this.#numbers.ofCaller());
  }

  get #agentHasAsked(): boolean {
    const last = this.conversation.messages().at(-1);
    return last?.role === 'assistant' && asks(last.content);
  }

  #tellListening(): void {
    const kept = this.#early.take();
    if (kept !== null) this.#noteListening(kept.utterance, kept.turnId);
  }

  #noteListening(utterance: CallerUtterance, turnId: number): void {
    this.#callerHadNoTurn();
    if (utterance.text === '') return;
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
