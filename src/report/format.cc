#include "report/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace schedlens {

namespace {

// The shortest decimal digits of a finite number: 0.DIGITS x 10^point. Working on digits instead of
// on doubles keeps rounding exact: 0.29 is 29 %, not 28.999999999999996 %.
struct Decimal {
  bool negative = false;
  std::string digits;  // no leading or trailing zero; empty for zero
  int point = 0;
};

Decimal ToDecimal(double number) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific)
          .ptr;
  const std::string text(buffer, end);
  const std::size_t e = text.find('e');
  Decimal decimal{std::signbit(number) && number != 0, "", std::stoi(text.substr(e + 1)) + 1};
  for (const char c : text.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  if (decimal.digits.empty()) decimal.point = 1;
  return decimal;
}

// Keeps `places` digits after the decimal point.
Decimal Rounded(Decimal decimal, int places, Rounding rounding) {
  const int keep = decimal.point + places;
  if (keep >= static_cast<int>(decimal.digits.size())) return decimal;
  const bool half_up = keep >= 0 && decimal.digits[static_cast<std::size_t>(keep)] >= '5';
  const Rounding away = decimal.negative ? Rounding::kDown : Rounding::kUp;
  const bool grow = rounding == Rounding::kNearest ? half_up : rounding == away;
  decimal.digits.resize(static_cast<std::size_t>(std::max(keep, 0)));
  if (grow) {
    if (keep <= 0) {
      decimal.digits = "1";
      decimal.point = 1 - places;
    } else {
      std::size_t i = decimal.digits.size();
      while (i > 0 && decimal.digits[i - 1] == '9') decimal.digits[--i] = '0';
      if (i > 0) {
        ++decimal.digits[i - 1];
      } else {
        decimal.digits.insert(decimal.digits.begin(), '1');
        ++decimal.point;
      }
    }
  }
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  if (decimal.digits.empty()) return Decimal{false, "", 1};
  return decimal;
}

// Fixed notation with thousands apart; at least `places` decimals. From 10^15 on with an exponent.
std::string Fixed(const Decimal& decimal, int places) {
  if (decimal.point > 15) {
    return (decimal.negative ? "-" : "") + decimal.digits.substr(0, 1) + "." +
           (decimal.digits + "00").substr(1, 2) + "e" + std::to_string(decimal.point - 1);
  }
  std::string whole;
  std::string fraction;
  for (int i = 0; i < decimal.point; ++i) {
    const auto at = static_cast<std::size_t>(i);
    whole += at < decimal.digits.size() ? decimal.digits[at] : '0';
  }
  if (whole.empty()) whole = "0";
  for (int i = decimal.point; i < static_cast<int>(decimal.digits.size()); ++i) {
    fraction += i < 0 ? '0' : decimal.digits[static_cast<std::size_t>(i)];
  }
  while (static_cast<int>(fraction.size()) < places) fraction += '0';
  for (int at = static_cast<int>(whole.size()) - 3; at > 0; at -= 3) {
    whole.insert(static_cast<std::size_t>(at), ",");
  }
  return (decimal.negative ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
}

// Up to four significant digits whole, others rounded to three. A bound of five digits that is
// whole milliseconds is most likely a bucket's own (16.384) and stays.
std::string Significant(const Decimal& decimal, Rounding rounding) {
  const int digits = static_cast<int>(decimal.digits.size());
  const int decimals = digits - decimal.point;
  const bool bucket = rounding != Rounding::kNearest && digits == 5 && decimals <= 3;
  if (bucket || (digits <= 4 && decimals <= 6)) return Fixed(decimal, 0);
  return Fixed(Rounded(decimal, std::max(0, 3 - decimal.point), rounding), 0);
}

struct NumberAndUnit {
  std::string number, unit;
};

NumberAndUnit SecondsText(double seconds, Rounding rounding) {
  Decimal decimal = ToDecimal(seconds);
  if (decimal.digits.empty() || decimal.point >= 1) return {Significant(decimal, rounding), "s"};
  // A rounding up to 1,000 ms reads badly, but it is rare and true.
  const bool milli = decimal.point > -3;
  decimal.point += milli ? 3 : 6;
  return {Significant(decimal, rounding), milli ? "ms" : "µs"};
}

NumberAndUnit PercentText(double fraction, Rounding rounding) {
  Decimal decimal = ToDecimal(fraction);
  decimal.point += decimal.digits.empty() ? 0 : 2;
  return {Fixed(Rounded(decimal, 1, rounding), decimal.digits.empty() ? 0 : 1), "%"};
}

bool Known(const std::optional<double>& number) { return number && std::isfinite(*number); }

std::string Join(const Messages& t, const NumberAndUnit& text) {
  return t("number.unit", text.number, text.unit);
}

std::string Range(const Messages& t, const Interval& interval,
                  NumberAndUnit (*print)(double, Rounding)) {
  const bool low = Known(interval.low);
  const bool high = Known(interval.high);
  if (!low && !high) return kUnknown;
  if (!high) return t("number.at_least", Join(t, print(*interval.low, Rounding::kDown)));
  if (!low) return t("number.at_most", Join(t, print(*interval.high, Rounding::kUp)));
  const NumberAndUnit from = print(*interval.low, Rounding::kDown);
  const NumberAndUnit to = print(*interval.high, Rounding::kUp);
  if (from.unit != to.unit) return t("number.range", Join(t, from), Join(t, to));
  if (from.number == to.number) return Join(t, from);
  return from.number + "–" + Join(t, to);
}

}  // namespace

std::string Seconds(const Messages& t, std::optional<double> seconds, Rounding rounding) {
  return Known(seconds) ? Join(t, SecondsText(*seconds, rounding)) : kUnknown;
}

std::string SignedSeconds(const Messages& t, std::optional<double> seconds) {
  if (!Known(seconds)) return kUnknown;
  return (*seconds > 0 ? "+" : "") + Seconds(t, seconds);
}

std::string Percent(const Messages& t, std::optional<double> fraction, Rounding rounding) {
  return Known(fraction) ? Join(t, PercentText(*fraction, rounding)) : kUnknown;
}

std::string Count(std::optional<double> count) {
  if (!Known(count)) return kUnknown;
  return Fixed(Rounded(ToDecimal(*count), *count < 10 ? 2 : 0, Rounding::kNearest), 0);
}

std::string QuantileName(double q) {
  if (!std::isfinite(q)) return "p?";
  Decimal decimal = ToDecimal(q);
  decimal.point += decimal.digits.empty() ? 0 : 2;
  return "p" + Fixed(decimal, 0);
}

std::string SecondsRange(const Messages& t, const Interval& interval) {
  return Range(t, interval, SecondsText);
}
std::string PercentRange(const Messages& t, const Interval& interval) {
  return Range(t, interval, PercentText);
}

double GreatestOf(const std::vector<double>& values) {
  double greatest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  }
  return greatest;
}

Interval BoundsOf(const Measured& measured) { return {measured.low, measured.high}; }

bool HasRange(const Measured& measured) {
  if (!Known(measured.low) && !Known(measured.high)) return false;
  return measured.low != measured.value || measured.high != measured.value;
}

std::string DateAndTime(TimeMs time, const Zone& zone) {
  // Down to the whole second, also before 1970.
  const TimeMs second = (time % 1000 + 1000) % 1000;
  const TimeMs local = time - second + TimeMs{OffsetMinutes(zone, time)} * 60'000;
  std::string text = FormatTime(local);
  std::replace(text.begin(), text.end(), 'T', ' ');
  std::erase(text, 'Z');
  return text;
}

std::string TimeOfDay(TimeMs time, const Zone& zone) {
  const std::string text = DateAndTime(time, zone);
  const std::size_t space = text.find(' ');
  return space == std::string::npos ? text : text.substr(space + 1);
}

std::string Moment(TimeMs time, const Zone& zone) {
  return DateAndTime(time, zone) + " " + ZoneText(zone, time);
}

std::string RangeText(const TimeRange& range, const std::string& to, const Zone& zone) {
  // From ten seconds on, milliseconds are noise.
  const TimeMs exact = range.end - range.start;
  const TimeMs length = exact < 10'000 ? exact : (exact + 500) / 1000 * 1000;
  const std::string start = DateAndTime(range.start, zone);
  std::string end = DateAndTime(range.end, zone);
  if (start.substr(0, start.find(' ')) == end.substr(0, end.find(' '))) {
    end = TimeOfDay(range.end, zone);
  }
  const std::string last = ZoneText(zone, range.end);
  const std::string first = ZoneText(zone, range.start);
  return start + (first == last ? "" : " " + first) + " " + to + " " + end + " " + last + " (" +
         FormatDuration(length) + ")";
}

}  // namespace schedlens
