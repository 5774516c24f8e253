export { type Config, ConfigError, type Environment, expectation, loadConfig } from './load.ts';
export { redacted } from './redact.ts';
export { environmentName, fileName, SETTINGS, type Setting, type SettingName } from './settings.ts';
