{
  # node-gyp reads this file before any target. The addon is built by CMake, so nothing of Node's own flags is needed.
  'variables': {},
  'target_defaults': {
    'default_configuration': 'Release',
    'configurations': { 'Release': {}, 'Debug': {} },
  },
}
