/** The engine's door: the only room that loads the addon. */
export { sipProgram } from './addon.ts';
export type { CarrierResult, JobKind, LaneKind, LaneListener, PushResult } from './contract.ts';
export { Engine, type EngineHooks, type KindReport } from './engine.ts';
export {
  flattenRecognition,
  HEAR_LANGUAGES,
  type HearLanguage,
  type RecognitionOptions,
  type VocabularyTerm,
} from './hear-options.ts';
export { codeOnHugePages } from './huge-code.ts';
export { Job } from './job.ts';
export { type AmdEvent, type AmdLaneOptions, amdLane } from './kinds/amd.ts';
export {
  DUB_RATE,
  DUB_VOICE_RATE,
  dubEdgesJob,
  dubMixJob,
  type MixOptions,
  readEdges,
  type SoundEdges,
} from './kinds/dub.ts';
export { type EchoEvent, echoLane } from './kinds/echo.ts';
export { type EmbedOptions, embedJob, embedTexts } from './kinds/embed.ts';
export {
  type FittedVoice,
  fitVoiceJob,
  readFittedVoice,
  type SampleVerdict,
} from './kinds/fit-voice.ts';
export { forgetSoundsJob } from './kinds/forget-sounds.ts';
export {
  type EndpointReason,
  HEAR_COMMIT,
  HEAR_RATES,
  type HearEvent,
  type HearLaneOptions,
  type HearRate,
  hearLane,
} from './kinds/hear.ts';
export { learnVoiceJob } from './kinds/learn-voice.ts';
export { loopbackLane } from './kinds/loopback.ts';
export {
  type Clip,
  type Mastered,
  type MasterOptions,
  masterJob,
  packTimeline,
  readMastered,
} from './kinds/master.ts';
export {
  type BargeSensitivity,
  type OmniEvent,
  type OmniLaneOptions,
  type OmniSegment,
  type OmniUtterance,
  OmniVerb,
  omniLane,
  readBargeSensitivity,
} from './kinds/omni.ts';
export { MARK_RATE, type MarkReading, readMark, readMarkJob } from './kinds/read-mark.ts';
export {
  packRtpSetup,
  RTP_RATES,
  type RtpCodec,
  type RtpEvent,
  type RtpLaneOptions,
  type RtpPayload,
  type RtpRate,
  type RtpSetup,
  type RtpStatistics,
  RtpVerb,
  rtpLane,
} from './kinds/rtp.ts';
export { readVoices, speakersJob, type VoiceWindow } from './kinds/speakers.ts';
export {
  type EngineVoice,
  flattenVoice,
  SPEECH_RATES,
  SPOKEN_LANGUAGES,
  type SpeakingManner,
  type SpeechFormat,
  type SpeechRate,
  type SpokenLanguage,
  type SynthesizeOptions,
  synthesizeJob,
} from './kinds/synthesize.ts';
export { Lane, type LaneRef } from './lane.ts';
export { LaneLine, type LaneTenant, laneTenantOf } from './lane-line.ts';
export { type Share, shareOf } from './lane-shares.ts';
export {
  cpuFeatures,
  type DeviceReport,
  deviceReport,
  inferenceLibrary,
  type MissingLibrary,
  missingLibraries,
  nearestSums,
  telephonyLibraries,
} from './library.ts';
export { answerUpgrade, boundReceive, guardFrames } from './listening-socket.ts';
export type { CpuFeatures, EngineStats, TelephonyLibraries } from './native.ts';
export { type EngineOptions, integer, outOfRange } from './options.ts';
export { BodyReader, EventType, type FlatOptions, type OptionValue, packOptions } from './packed.ts';
export { phonemeWalls, pronounceOnce } from './pronounce.ts';
export { Pronouncer, type PronouncerPlace } from './pronouncer.ts';
export { KNOWN_VOICES, speechSettings } from './speech-settings.ts';
export { EngineFault, Status, type StatusName, statusError, statusName } from './status.ts';
export {
  RECORDING_RATE,
  type RecordingOptions,
  type RecordingStep,
  type Segment,
  transcribeRecording,
} from './transcribe-recording.ts';
export type { Transcript, Word } from './transcript.ts';
