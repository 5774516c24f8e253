import type { EngineVoice } from '../../media/engine/index.ts';
import { AgentTurns } from './agent-turns.ts';
import { CallerInput } from './caller-input.ts';
import type { EndReason, SessionOptions, SessionSettings } from './contract.ts';
import type { ConversationHistory } from './conversation-history.ts';
import { Floor } from './floor.ts';
import { InjectedInput } from './injected-input.ts';
import { InterludeRunner } from './interlude-runner.ts';
import { phraseOf } from './phrases.ts';
import { PlayoutHandler } from './playout-handler.ts';
import { ResponseController } from './response-controller.ts';
import type { ResponseLatencies } from './response-latency.ts';
import { ResponseWatchdog } from './response-watchdog.ts';
import { checkpointOf, type SessionCheckpoint } from './session-checkpoint.ts';
import { SessionState } from './session-state.ts';
import { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance, LaneEvent, VoiceFault } from './voice-lane.ts';

/** The end of a session waits this long for the lane's last playout report. */
const FINAL_PLAYOUT_TIMEOUT_MS = 500;
/** A hang-up during the farewell does not change the reason, which is already decided. */
const HANGUP_REASONS: ReadonlySet<EndReason> = new Set(['client_ended', 'client_gone']);

/** A session that has ended still learns how much of its last words was played. */
const REPORTS: ReadonlySet<LaneEvent['kind']> = new Set([
  'speech_played',
  'speech_interrupted',
  'voice_fallback',
]);

export class Session {
  readonly conversation: ConversationHistory;
  readonly input: InjectedInput;
  readonly #options: SessionOptions;
  readonly #state = new SessionState();
  readonly #numbers = new TurnNumbers();
  readonly #agent: AgentTurns;
  readonly #floor: Floor;
  readonly #listening: CallerInput;
  readonly #answering: ResponseController;
  readonly #sounding: PlayoutHandler;
  readonly #interludes: InterludeRunner;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { clock, lane, output } = options;
    const state = this.#state;
    const numbers = this.#numbers;
    const agent = new AgentTurns(options, {
      whenPreviousPlayed: () => floor.whenPlayedReported(),
      onToolsRunning: () => responseWatchdog.stop(),
      onWaiting: () => responseWatchdog.start(),
      onDone: (turn, failure) => answering.onTurnDone(turn, failure),
    });
    const responseWatchdog: ResponseWatchdog = new ResponseWatchdog({
      clock,
      times: options.escalationTimeouts,
      turn: () => floor.turn,
      thinking: () => phraseOf(answering.settings, 'thinking'),
      output,
      callerSpeaks: () => listening.isSpeaking,
      onNoAudio: () => this.#endFor('engine_failed'),
    });
    const transcript = (role: 'user' | 'agent') => (turnId: number, text: string, final: boolean) => {
      if (!state.hasEnded) output.transcript({ role, turnId, text, final });
    };
    const settled = () => {
      if (state.isEndUnreported && !floor.isAwaitingPlayout) this.#close();
    };
    const floor: Floor = new Floor({
      clock,
      lane,
      output,
      agent,
      responseWatchdog,
      transcript: transcript('agent'),
      onCommitted: settled,
    });
    const answering: ResponseController = new ResponseController({
      session: options,
      sessionState: state,
      agent,
      floor,
      numbers,
      onWordless: (turn) => this.#sounding.onWordless(turn),
    });
    const listening: CallerInput = new CallerInput({
      clock,
      numbers,
      conversation: agent.conversation,
      idle: options.idle,
      transcript: transcript('user'),
      onKeys: (keys) => this.#takeTurn(keys),
      speech: (kind, atMs) => {
        if (!state.hasEnded) output.speech(kind, atMs);
      },
      onIdle: (gone) => this.input.onIdle(gone),
      onNoTurn: () => this.#sounding.speakNextQueued(),
    });
    this.conversation = agent.conversation;
    this.#agent = agent;
    if (options.resumes !== undefined) {
      numbers.goOnFrom(options.resumes.nextTurn);
      floor.latencies.list.push(...options.resumes.latencies);
    }
    this.#floor = floor;
    this.#answering = answering;
    this.#listening = listening;
    const { conversation } = agent;
    const interludes = new InterludeRunner({
      lane,
      state,
      floor,
      numbers,
      responses: answering,
      listening,
      conversation,
      end: (reason) => this.#end(reason),
    });
    this.#interludes = interludes;
    this.input = new InjectedInput({
      state,
      floor,
      numbers,
      answering,
      interludes,
      conversation,
      listening,
      takeTurn: (utterance) => this.#takeTurn(utterance),
      end: (reason) => this.#end(reason),
    });
    this.#sounding = new PlayoutHandler({
      state,
      floor,
      callerInput: listening,
      answering,
      output,
      goesOn: (turn, whole, interrupted) => interludes.settled(turn, whole, interrupted),
      begin: (interlude) => interludes.begin(interlude),
      end: (reason) => this.#endFor(reason),
      endAsPlanned: () => state.endAsPlanned((reason) => this.#end(reason)),
      answered: (answer) => this.#takeTurn(answer),
    });
  }

  get latencies(): ResponseLatencies['list'] {
    return this.#floor.latencies.list;
  }

  get failures(): ResponseController['failures'] {
    return this.#answering.failures;
  }

  get callerTurn(): number {
    return this.#numbers.callersNext;
  }

  /** Speaks the consent line and the greeting as turn 0. */
  start(): void {
    if (!this.#answering.greet()) this.#numbers.next();
    if (this.#options.host !== undefined) this.#interludes.host(this.#options.host);
    this.#listening.startIdleTimer();
  }

  get checkpoint(): SessionCheckpoint {
    return checkpointOf({ agent: this.#agent, floor: this.#floor, numbers: this.#numbers });
  }

  resume(): void {
    const { host, resumes } = this.#options;
    const pending = resumes?.pending ?? null;
    const words = phraseOf(this.#answering.settings, 'resumed');
    if (!this.#agent.isConsentPending) this.#options.output.recordingAllowed?.();
    if (host !== undefined) this.#interludes.host(host);
    else if (pending?.kind === 'question') {
      if (words !== null) this.#agent.leadWith(words);
      const { turnId, text } = pending;
      this.#answering.answerQuestion({ turnId, text });
    } else {
      const lines = [...(words === null ? [] : [words]), ...(pending?.lines ?? [])];
      if (lines.length > 0 || this.#agent.isConsentPending)
        this.#answering.speakFixed(lines, { yields: true });
    }
    this.#listening.startIdleTimer();
  }

  /** Applies the change from the next turn on. */
  reconfigure(change: Partial<SessionSettings>, voice: EngineVoice | null): void {
    if (this.#state.hasEnded) return;
    const before = this.#answering.settings.language;
    this.#answering.configure(change);
    if (change.language !== undefined && change.language !== before)
      this.#interludes.languageChanged(change.language);
    const { lane } = this.#options;
    this.#floor.changeLaneAfterTurn(() => {
      if (voice !== null) lane.setVoice(voice);
      if (change.language !== undefined) lane.setLanguage(change.language);
    });
  }

  /** Another agent has the call: its rules apply from the next turn on. */
  guardBy(guard: SessionOptions['guard']): void {
    this.#agent.guardBy(guard);
  }

  /**
   * Speaks the customer's own words, after the current speech of both sides or at once. Returns false where the queue
   * is full.
   */
  say(text: string, { interrupt = false } = {}): boolean {
    if (!this.#state.isLive || this.#state.isMuted) return true;
    const { speechQueue: sayings } = this.#floor;
    if (!interrupt) {
      if (!sayings.add(text)) return false;
      this.#sounding.speakNextQueued();
      return true;
    }
    this.#answering.discardSpeculation();
    this.#floor.release();
    sayings.clear();
    this.#answering.speakFixed([text], { yields: false });
    return true;
  }

  interrupt(): void {
    if (this.#state.hasEnded) return;
    const floor = this.#floor;
    floor.speechQueue.clear();
    if (floor.turn === null || floor.stopPlayback()) return;
    floor.release();
    floor.speechQueue.clear();
    // A farewell that was stopped before it could be heard ends the call as it would have at its end.
    if (this.#state.plannedEnd !== null) this.#state.endAsPlanned((reason) => this.#end(reason));
    else this.#listening.startIdleTimer();
  }

  /**
   * Silences the agent, which goes on to write down what is said. When it is unmuted, it continues with the step of its
   * flow that came meanwhile, or asks its open question again.
   */
  mute(on: boolean): void {
    if (!this.#state.isLive || this.#state.isMuted === on) return;
    this.#state.isMuted = on;
    if (on) {
      this.#listening.stopIdleTimer();
      this.#answering.discardSpeculation();
      this.#floor.speechQueue.clear();
      this.#floor.release();
    } else {
      this.#listening.resetIdleTimer();
      this.#listening.startIdleTimer();
      this.#interludes.unmuted();
    }
  }

  /** A key interrupts the agent at once; the keys become a turn when the last one has come. */
  dtmf(digits: string, atMs: number): void {
    if (!this.#state.isLive) return;
    this.#listening.stopIdleTimer();
    this.#answering.discardSpeculation();
    this.#floor.release();
    this.#listening.onDtmf(digits, atMs);
  }

  end(reason: EndReason): void {
    this.#endFor(reason);
  }

  /** The session's own ends come here and not through `end`, which a recorder of its inputs wraps. */
  #endFor(reason: EndReason): void {
    if (this.#state.hasEnded) return;
    if (this.#state.plannedEnd === null || !HANGUP_REASONS.has(reason)) this.#end(reason);
    else this.#state.endAsPlanned((decided) => this.#end(decided));
  }

  /** After `end`, the session accepts only the playout reports of the interruption. */
  take(event: LaneEvent): void {
    if (this.#state.hasEnded && !(this.#state.isEndUnreported && REPORTS.has(event.kind))) return;
    switch (event.kind) {
      case 'audio':
        this.#floor.watchdog.onAudio();
        if (!this.#state.hasEnded) this.#options.output.audio(event.pcm);
        return;
      case 'speech_start':
        this.#listening.onSpeechStart(event.atMs);
        return;
      case 'partial':
        this.#listening.onPartial(event.text);
        return;
      case 'eager_end':
        this.#listening.onEagerEnd(event);
        if (this.#state.isMuted) return;
        if (!this.#interludes.isActive) this.#answering.speculate(event);
        else this.#interludes.guess(event);
        return;
      case 'continued':
        this.#answering.discardSpeculation();
        return;
      case 'final':
        this.#listening.onSpeechEnd(event.endMs);
        this.#takeTurn(event);
        return;
      case 'key':
        this.dtmf(event.key, event.atMs);
        return;
      case 'music':
        return;
      case 'left_out':
        this.#options.output.leftOut?.(event);
        return;
      case 'lost':
        this.#listening.onSpeechEnd();
        this.#askAgain();
        return;
      case 'backchannel':
        this.#listening.onSpeechEnd(event.endMs);
        this.#hearBackchannel(event);
        return;
      case 'playing':
        this.#floor.startedPlaying(event.speech, event.segment, event.atMs);
        return;
      case 'speech_played':
        this.#sounding.onPlayed(event.speech, event.segments);
        return;
      case 'speech_interrupted':
        this.#sounding.onInterrupted(event);
        return;
      case 'voice_fallback':
        this.#onVoiceFallback(event.speech, event.fault);
        return;
      case 'speech_failed':
        if (this.#floor.turn?.speech === event.speech) this.#endFor('engine_failed');
        else this.#answering.onSpeculationFailed(event.speech);
        return;
      case 'engine_failed':
        this.#endFor('engine_failed');
    }
  }

  #onVoiceFallback(speech: number, fault: VoiceFault): void {
    const turn = this.#floor.turnOf(speech);
    if (turn !== null) this.#options.output.degraded(turn.id, 'voice', `voice_${fault}`);
  }

  #end(reason: EndReason): void {
    if (this.#state.hasEnded) return;
    this.#listening.flushBackchannel();
    this.#listening.flushPending();
    this.#state.end(reason);
    this.#listening.closeIdleTimer();
    this.#answering.discardSpeculation();
    this.#interludes.drop();
    this.#options.toolDispatcher.close();
    this.#floor.release();
    if (this.#floor.isAwaitingPlayout)
      this.#options.clock.after(FINAL_PLAYOUT_TIMEOUT_MS, () => this.#close());
    else this.#close();
  }

  #close(): void {
    const reason = this.#state.takeEndReason();
    if (reason === null) return;
    this.#options.lane.close();
    this.#options.output.ended(reason);
  }

  #takeTurn(utterance: CallerUtterance): void {
    if (!this.#state.isLive) return;
    const listening = this.#listening;
    listening.flushBackchannel();
    if (utterance.text.trim() === '') {
      this.#answering.discardSpeculation();
      const isSilent = !this.#state.isMuted && this.#interludes.isWaitingOnLine;
      if (isSilent && this.#interludes.onSilence()) return;
      listening.releaseTurn();
      return;
    }
    listening.resetIdleTimer();
    this.#floor.release();
    const heard = listening.withDtmf(utterance);
    const { text, startMs, endMs } = heard;
    const turnId = this.#numbers.finishCallerTurn();
    this.#options.output.transcript({ role: 'user', turnId, text, final: true });
    this.conversation.addUserTurn({ turnId, text, startMs, endMs });
    if (this.#state.isMuted) return;
    if (this.#interludes.isActive && this.#interludes.onCallerInput(heard, turnId)) return;
    this.#answering.answer(heard, turnId);
  }

  #askAgain(): void {
    if (!this.#state.isLive) return;
    this.#answering.discardSpeculation();
    this.#listening.resetIdleTimer();
    this.#floor.release();
    this.#floor.latencies.cancel();
    this.#numbers.finishCallerTurn();
    if (this.#state.isMuted) return;
    if (this.#interludes.isActive && this.#interludes.onLost()) return;
    if (!this.#state.isLive) return;
    this.#answering.apologise('recognition_failed', { yields: true });
  }

  #hearBackchannel(utterance: CallerUtterance): void {
    const listening = this.#listening;
    listening.flushBackchannel();
    const { turn } = this.#floor;
    if (utterance.text !== '' && this.#state.isLive) {
      if (turn !== null && listening.deferBackchannel(utterance, turn)) return;
      if (turn === null && this.conversation.hasOpenQuestion) {
        this.#takeTurn(utterance);
        return;
      }
    }
    listening.addBackchannel(utterance, turn?.id ?? this.#numbers.callerTurn());
  }
}
