export { sipProgram } from './addon.ts';
export { type CapacityShare, capacityShareOf, type LaneReservation, resumedCall } from './capacity-share.ts';
export type { CarrierResult, JobKind, LaneKind, LaneListener, PushResult } from './contract.ts';
export { Engine, type EngineHooks, type KindReport } from './engine.ts';
export {
  type ChooseRecognizer,
  chosenRecognizer,
  EXPERIMENTAL_LANGUAGES,
  flattenRecognition,
  HEAR_LANGUAGES,
  type HearLanguage,
  type RecognitionNeed,
  type RecognitionOptions,
  type RecognizerChoice,
  type VocabularyTerm,
} from './hear-options.ts';
export { codeOnHugePages } from './huge-pages.ts';
export { Job } from './job.ts';
export { type AmdEvent, type AmdLaneOptions, amdLane } from './kinds/amd.ts';
export { type DenoiseOptions, denoiseLane } from './kinds/denoise.ts';
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
export {
  type EmbedOptions,
  embedByAdded,
  embedJob,
  embedMultilingual,
  embedTexts,
  multilingualEmbedJob,
  openEmbedderJob,
} from './kinds/embed.ts';
export { evictSpeechCacheJob } from './kinds/evict-speech-cache.ts';
export {
  type FittedVoice,
  fitVoiceJob,
  readFittedVoice,
  type SampleVerdict,
} from './kinds/fit-voice.ts';
export {
  type EndpointReason,
  HEAR_COMMIT,
  HEAR_LANE_RATES,
  HEAR_RATES,
  type HearEvent,
  type HearLaneOptions,
  type HearLaneRate,
  type HearRate,
  hearLane,
} from './kinds/hear.ts';
export { learnVoiceJob } from './kinds/learn-voice.ts';
export { loopbackLane } from './kinds/loopback.ts';
export {
  type Mastered,
  type MasterOptions,
  masterJob,
  packTimeline,
  readMastered,
  type TimelineClip,
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
export {
  type OpenedRecognizer,
  openRecognizerJob,
  readOpenedQuickRecognizer,
  readOpenedRecognizer,
} from './kinds/open-recognizer.ts';
export {
  readWatermark,
  readWatermarkJob,
  WATERMARK_RATE,
  type WatermarkReading,
} from './kinds/read-watermark.ts';
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
export {
  type AddedEncoder,
  BUNDLED_BOUNDS,
  type EncoderSource,
  readSpeakerSegments,
  SPEAKERS_SECONDS,
  type SpeakerBounds,
  type SpeakerSegment,
  speakersJob,
} from './kinds/speakers.ts';
export {
  type AddedEngineVoice,
  costOfVoice,
  type EngineVoice,
  flattenVoice,
  SPEECH_LANGUAGES,
  SPEECH_RATES,
  type SpeakingManner,
  type SpeechFormat,
  type SpeechLanguage,
  type SpeechRate,
  type SynthesizeOptions,
  synthesizeJob,
} from './kinds/synthesize.ts';
export { Lane, type LaneRef } from './lane.ts';
export { LaneQueue, type LaneTenant, laneTenantOf } from './lane-queue.ts';
export {
  cpuFeatures,
  type DeviceReport,
  type DeviceSettings,
  deviceReport,
  inferenceLibrary,
  inspectModels,
  type MissingLibrary,
  missingLibraries,
  nearestSums,
  telephonyLibraries,
} from './library.ts';
export { answerUpgrade, guardWebSocketFrames, limitReceiveBuffer } from './listening-socket.ts';
export type { CpuFeatures, EngineStats, ModelPlacement, TelephonyLibraries } from './native.ts';
export { type EngineOptions, integer, outOfRange } from './options.ts';
export {
  BodyReader,
  EngineEventType,
  type FlatOptions,
  type OptionValue,
  packOptions,
} from './packed-records.ts';
export { phonemeSandbox, pronounceOnce } from './pronounce.ts';
export { Pronouncer, type PronouncerPaths } from './pronouncer.ts';
export { KNOWN_VOICES, speechSettings } from './speech-settings.ts';
export {
  EngineError,
  EngineStatus,
  engineStatusError,
  isModelFailure,
  type StatusName,
  statusName,
} from './status.ts';
export {
  RECORDING_RATE,
  type RecognizedSegment,
  type RecordingOptions,
  type RecordingStep,
  transcribeRecording,
} from './transcribe-recording.ts';
export type { EngineTranscript, EngineWord } from './transcript.ts';
export {
  addAudio,
  addTone,
  convertAudio,
  downmix,
  floatSamples,
  interleave,
  measureAudio,
  mixAudio,
  resample,
  SAMPLE_BYTES,
  SILENCE_BYTE,
  type WireFormat,
} from './wire-audio.ts';
