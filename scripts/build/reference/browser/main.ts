// Owns what the reference does beyond being read: searching it, copying an example, keeping to the
// reader's language.
import { copyButtons } from "./copy.ts";
import { oneLanguage } from "./language.ts";
import { searchBox } from "./search.ts";

searchBox();
copyButtons();
oneLanguage();
