export { figuresOf, type Measurement, measurementOf, plot, readMeasurement } from './figures.ts';
export { duckedAfter, type MeasuredCalls, type MeasurementSounds, measure } from './measure-calls.ts';
