#ifndef SCHEDLENS_REPORT_MESSAGES_SENTENCES_H_
#define SCHEDLENS_REPORT_MESSAGES_SENTENCES_H_

// The analysis writes English sentences, and a saved diagnosis holds them. This puts them into the
// reader's language: a table of English patterns and their Chinese, read backwards.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/diagnosis.h"
#include "report/messages/messages.h"

namespace schedlens {

/// Rows of the table, in the files of their subject. `{0}`, `{1}`, ... stand for what varies, in
/// the order of the English sentence; the Chinese may use them in any order.
std::span<const Message> TitleSentences();     ///< headlines and titles of findings
std::span<const Message> EvidenceSentences();  ///< evidence, stages, the cross-check
std::span<const Message> StepSentences();      ///< next steps about causes
std::span<const Message> RemarkSteps();        ///< next steps about the number and the data
std::span<const Message> WarningSentences();   ///< gaps, warnings, notes of the alert
std::span<const Message> ReasonSentences();    ///< why a quantile is what it is

/// All of them.
const std::vector<Message>& SentenceTable();

/// The sentence in Chinese. What varies in it is carried over, itself translated where a row fits
/// it. A sentence that no row fits stays as it is. Of several rows the one with most fixed text
/// wins.
std::string InChinese(std::string_view english);

/// The diagnosis with every sentence in the reader's language; names, ids, queries and numbers stay
/// as they are.
Diagnosis InLanguage(const Messages& t, Diagnosis diagnosis);

}  // namespace schedlens

#endif  // SCHEDLENS_REPORT_MESSAGES_SENTENCES_H_
