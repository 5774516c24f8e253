/** How quickly any voice agent answers, lowers its voice and falls silent, as its caller hears it. */
export { figuresOf, type Measurement, measurementOf, plot, readMeasurement } from './figures.ts';
export { duckedAfter, type MeasuredCalls, type MeasurementSounds, measure } from './measure-calls.ts';
