{
  # The door that npm's tools expect. It builds nothing itself: native/CMakeLists.txt is the one build description.
  "variables": { "module_name%": "trunkline", "module_path%": "lib/binding" },
  "targets": [
    {
      "target_name": "native",
      "type": "none",
      "actions": [
        {
          "action_name": "cmake",
          "inputs": [ "native/CMakeLists.txt" ],
          # Never written, so that the action always runs; the script itself is quick when nothing has changed.
          "outputs": [ "<(module_path)/.always" ],
          "action": [ "node", "scripts/build-native.mjs", "--compile", "--out", "<(module_path)" ]
        }
      ]
    }
  ]
}
