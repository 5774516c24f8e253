/** How quickly any voice agent answers, lowers its voice and falls silent, as its caller hears it. */
export { figuresOf, type Measurement, measurementOf, plot, readMeasurement } from './figures.ts';
export { loweredAfter, type Measured, measure, type Sounds } from './trials.ts';
