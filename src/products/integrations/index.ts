export { ADAPTERS, KINDS, type Kind, type Outside, SettingsError, type Stored } from './adapters/index.ts';
export { DestinationAudience } from './audience.ts';
export {
  type Change,
  type Destination,
  EVENT_VERSIONS,
  type EventVersion,
  type Filters,
  NEWEST,
  type NewDestination,
  type Status,
} from './contract.ts';
export { addressPlace, isPlainAddress } from './destination-rows.ts';
export { Destinations, MOST } from './destinations.ts';
export { shownSettings } from './shown.ts';
export { tryOut } from './trial.ts';
