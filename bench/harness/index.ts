export {
  median,
  percentile,
  percentileInterval,
  type RunStatistics,
  repeatInterleaved,
  repeatRuns,
  shareInterval,
  summarize,
} from '../../src/apps/caller/index.ts';
export {
  ANSWERS,
  type Answer,
  byLength,
  FIRST_CLAUSE_WORDS,
  lengthOfAnswer,
  unheardAnswers,
  wordsOfFirstClause,
} from './answers.ts';
export { type CallTime, timeCalls } from './calls.ts';
export {
  type Figure,
  type FigureInput,
  formatValue,
  type Goal,
  goalHolds,
  goalText,
  makeFigure,
} from './figure.ts';
export { describeMachine, type Machine } from './machine.ts';
export { countInstructions, hasProgram, runNative, totalFromCallgrind } from './native.ts';
export { barPlot } from './plots/bar.ts';
export { linePlot, type Series, scatterPlot } from './plots/line.ts';
export { spectrogram } from './plots/sound.ts';
export { processorLevelEnvironment } from './processor-level.ts';
export { markdownTable, Report } from './report.ts';
export { type BenchOptions, runBench } from './run.ts';
export { wavOf } from './wav.ts';
