// Milepost for OpenCode: hand each event of a session to `milepost hook`, pass on what it says.
//
// Every call fails open: whatever goes wrong, OpenCode goes on as if this file were not there.

import { spawn } from "node:child_process"

// The ways to run Milepost; the next is tried where one is missing or cannot be loaded.
const COMMANDS = [["milepost"]]
const LIMIT_MS = 10_000
// The tools that change or run things, by the names that hooks know them by.
const TOOLS = { bash: "Bash", edit: "Edit", write: "Write", patch: "Edit", apply_patch: "Edit" }

/** Run a hook with JSON on its standard input and return the text it wants the model to read. */
async function hook(event, input) {
  for (const command of COMMANDS) {
    const said = await run([...command, "hook", event], input)
    if (said !== null) return context(said)
  }
  return ""
}

/** Return what a command says, or null if it cannot be run or fails. */
function run([program, ...words], input) {
  return new Promise((resolve) => {
    let said = ""
    const options = { stdio: ["pipe", "pipe", "ignore"], timeout: LIMIT_MS, killSignal: "SIGKILL" }
    const child = spawn(program, words, options)
    child.on("error", () => resolve(null))
    child.on("close", (code, signal) => resolve(code && !signal ? null : said))
    child.stdout.on("data", (part) => (said += part))
    child.stdin.on("error", () => {}) // it may end without reading
    child.stdin.end(JSON.stringify(input))
  }).catch(() => null)
}

function context(said) {
  try {
    return JSON.parse(said).hookSpecificOutput?.additionalContext ?? ""
  } catch {
    return ""
  }
}

/** Name the fields of a tool's input as hooks do: filePath is file_path. */
function named(input) {
  const snake = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(input ?? {}).map(([key, value]) => [snake(key), value]))
}

function outcome({ output, metadata }) {
  if (!metadata?.exit) return { hook_event_name: "PostToolUse", tool_response: { stdout: output } }
  return { hook_event_name: "PostToolUseFailure", error: `Exit code ${metadata.exit}\n${output}` }
}

export const Milepost = async ({ directory }) => {
  const briefings = new Map() // what each session was told at its start
  const answers = new Map() // the last thing the model said in each
  const subtasks = new Set() // sessions that a tool began; they are briefed by whoever began them

  const tell = (event, session, more) =>
    hook(event, { session_id: session, transcript_path: "", cwd: directory, ...more })
  const brief = (session, source) => {
    const said = tell("session-start", session, { hook_event_name: "SessionStart", source })
    briefings.set(session, said)
    return said
  }
  const end = (session, reason) => {
    briefings.delete(session)
    answers.delete(session)
    return tell("session-end", session, { hook_event_name: "SessionEnd", reason })
  }
  const events = {
    "session.created": ({ info }) => info?.parentID && subtasks.add(info.id),
    "session.compacted": ({ sessionID }) => briefings.has(sessionID) && brief(sessionID, "compact"),
    "session.deleted": ({ info }) => briefings.has(info?.id) && end(info.id, "other"),
    "session.idle": ({ sessionID }) =>
      briefings.has(sessionID) &&
      tell("stop", sessionID, {
        hook_event_name: "Stop",
        stop_hook_active: false,
        last_assistant_message: answers.get(sessionID) ?? "",
      }),
  }

  return {
    event: async ({ event }) => {
      await events[event.type]?.(event.properties)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (subtasks.has(sessionID)) return
      if (!briefings.has(sessionID)) await brief(sessionID, "startup")
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      if (!prompt) return
      const hook_event_name = "UserPromptSubmit"
      const text = await tell("prompt-submit", sessionID, { hook_event_name, prompt })
      if (!text) return
      // The number of the last part and one more: they are shown in the order of their numbers.
      const id = `${parts.at(-1).id}m`
      parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const text = await briefings.get(sessionID)
      if (text) system.push(text)
    },
    "experimental.text.complete": async ({ sessionID }, { text }) => {
      answers.set(sessionID, text)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const tool_name = TOOLS[tool]
      if (!tool_name || !briefings.has(sessionID)) return
      const call = { tool_name, tool_use_id: callID, tool_input: named(args) }
      await tell("post-tool-use", sessionID, { ...call, ...outcome(output) })
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      if (!briefings.has(sessionID)) return
      await tell("pre-compact", sessionID, { hook_event_name: "PreCompact", trigger: "auto" })
    },
    dispose: async () => {
      await Promise.all([...briefings.keys()].map((session) => end(session, "other")))
    },
  }
}
