export {
  type Config,
  ConfigError,
  type EnvironmentVariables,
  expectation,
  loadConfig,
  portRange,
} from './load.ts';
export { networkProblem } from './networks.ts';
export { redacted } from './redact.ts';
export { environmentName, fileName, SETTINGS, type Setting, type SettingName } from './settings.ts';
