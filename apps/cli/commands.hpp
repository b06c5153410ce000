#pragma once

#include <CLI/CLI.hpp>

#include <jme/pipeline/prepared_run.hpp>

#include "exit_codes.hpp"
#include "horizon_flags.hpp"
#include "input.hpp"
#include "kafka_input.hpp"
#include "live_input.hpp"
#include "parse.hpp"
#include "run_report.hpp"

namespace jme::cli {

// A command adds its flags to the command line when it is constructed, and does its work when it is run.
// Flags hold the command's address, so it cannot be moved.

/// Two of epsilon, delta and sigma give the third.
class CalibrateCommand {
 public:
  explicit CalibrateCommand(CLI::App& root);
  CalibrateCommand(const CalibrateCommand&) = delete;
  CalibrateCommand& operator=(const CalibrateCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text epsilon_, delta_, sigma_;
  bool json_ = false;
};

/// What training on sampled batches costs, or the noise it needs.
class AccountCommand {
 public:
  explicit AccountCommand(CLI::App& root);
  AccountCommand(const AccountCommand&) = delete;
  AccountCommand& operator=(const AccountCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text sampling_, sampling_rate_, bands_, steps_, epochs_, delta_, sigma_, epsilon_, adjacency_;
  bool json_ = false;
};

/// How far one person can move both moments.
class SensitivityCommand {
 public:
  explicit SensitivityCommand(CLI::App& root);
  SensitivityCommand(const SensitivityCommand&) = delete;
  SensitivityCommand& operator=(const SensitivityCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  HorizonFlags horizon_;
  Text dimension_, norm_bound_, lambda_, workload_, workload2_, shape_, shape2_, adjacency_, participations_,
      separation_, batch_, squares_;
  bool json_ = false;
};

/// How good a noise shape is for a workload.
class ShapeCommand {
 public:
  explicit ShapeCommand(CLI::App& root);
  ShapeCommand(const ShapeCommand&) = delete;
  ShapeCommand& operator=(const ShapeCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  HorizonFlags horizon_;
  Text workload_, shape_, objective_, max_state_vectors_;
  bool json_ = false;
};

/// How exact a run would be, in the units of its columns; or methods and shapes side by side. Opens no input.
class PlanCommand {
 public:
  explicit PlanCommand(CLI::App& root);
  PlanCommand(const PlanCommand&) = delete;
  PlanCommand& operator=(const PlanCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  [[nodiscard]] RunSettings settings() const;
  [[nodiscard]] bool is_in_units(const RunSettings& settings) const;
  void compare_methods(const RunSettings& settings) const;
  void answer_in_units(const RunSettings& settings) const;

  CLI::App* app_;
  RunSettings given_;
  ReportFlags report_;
  KafkaFlags kafka_;
  Text file_, config_, output_;
  Text target_, expect_rows_, expect_slots_, expect_per_person_, expect_mean_, expect_std_;
  bool json_ = false, methods_ = false;
};

/// Rows in, private releases out.
class RunCommand {
 public:
  explicit RunCommand(CLI::App& root);
  RunCommand(const RunCommand&) = delete;
  RunCommand& operator=(const RunCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  /// The settings of the command line, which override those of the settings file.
  [[nodiscard]] RunSettings settings() const;
  /// The input on its way into the stream; null where there is no such thing.
  struct OpenInput {
    const Input& input;
    LiveInput* live;
    bool is_topic;
  };
  /// Takes all rows of the input, after a search for bounds where there is one, and writes the report.
  void release_all(PreparedRun& prepared, const RunConfig& config, const OpenInput& from,
                   std::optional<RunReport>& report, bool shape_was_chosen) const;
  CLI::App* app_;
  RunSettings given_;
  ReportFlags report_;
  KafkaFlags kafka_;
  Text file_, config_, output_;
  bool dry_run_ = false, print_config_ = false, json_ = false;
};

/// Ranges of columns, found privately from the first records.
class BoundsCommand {
 public:
  explicit BoundsCommand(CLI::App& root);
  BoundsCommand(const BoundsCommand&) = delete;
  BoundsCommand& operator=(const BoundsCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  RunSettings given_;
  Text file_, output_;
  bool json_ = false;
};

/// Two versions of the data through the pipeline, and how far apart they are.
class AuditCommand {
 public:
  explicit AuditCommand(CLI::App& root);
  AuditCommand(const AuditCommand&) = delete;
  AuditCommand& operator=(const AuditCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text file_, config_, change_, person_, with_;
  bool json_ = false;
};

/// Whether the means changed between two releases.
class CompareCommand {
 public:
  explicit CompareCommand(CLI::App& root);
  CompareCommand(const CompareCommand&) = delete;
  CompareCommand& operator=(const CompareCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text file_, from_, to_, state_, source_, stream_;
  bool json_ = false;
};

/// What was spent on the streams of a state folder.
class LedgerCommand {
 public:
  explicit LedgerCommand(CLI::App& root);
  LedgerCommand(const LedgerCommand&) = delete;
  LedgerCommand& operator=(const LedgerCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text directory_, delta_;
  bool json_ = false;
};

/// Streams over HTTP.
class ServeCommand {
 public:
  explicit ServeCommand(CLI::App& root);
  ServeCommand(const ServeCommand&) = delete;
  ServeCommand& operator=(const ServeCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text memory_, memory_per_stream_;
  Text state_, listen_, threads_, workers_, connections_, streams_, header_bytes_, body_bytes_, line_bytes_,
      waiting_bytes_, rate_, timeout_, drain_;
  std::vector<std::string> hosts_;
  bool public_releases_ = false, behind_tls_proxy_ = false;
};

/// Who may use the server.
class TokenCommand {
 public:
  explicit TokenCommand(CLI::App& root);
  TokenCommand(const TokenCommand&) = delete;
  TokenCommand& operator=(const TokenCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text action_, id_, state_, stream_, role_, expires_;
  bool json_ = false;
};

/// The paper, figure by figure.
class ReproduceCommand {
 public:
  explicit ReproduceCommand(CLI::App& root);
  ReproduceCommand(const ReproduceCommand&) = delete;
  ReproduceCommand& operator=(const ReproduceCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  std::string name_;
  Text out_, seed_, threads_, training_;
  bool quick_ = false, fresh_ = false, list_ = false, json_ = false;
};

/// The whole pipeline on built-in public data, with private values beside exact ones.
class DemoCommand {
 public:
  explicit DemoCommand(CLI::App& root);
  DemoCommand(const DemoCommand&) = delete;
  DemoCommand& operator=(const DemoCommand&) = delete;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }
  [[nodiscard]] ExitCode run() const;

 private:
  CLI::App* app_;
  Text report_;
};

}  // namespace jme::cli
