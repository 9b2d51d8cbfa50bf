import ReaderModels

for model in FeedbackModel.allCases { print(model.rawValue) }
